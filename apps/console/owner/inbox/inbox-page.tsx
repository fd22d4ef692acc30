import { Anchor, Badge, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import type { InboundMessage, InboundMessageList } from '#client';
import { formatNumber } from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { useAddress } from '../../shell/use-address.js';
import { useTyped } from '../../shell/use-typed.js';
import { useRead } from '../parts/use-api.js';
import { t } from '../words.js';

const ROWS = 25;
const EVERY_MS = 15_000;
const FILTERS = ['sender', 'keyword'] as const;

/** What handsets wrote to the account. */
export default function InboxPage() {
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const filters = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const list = useRead<InboundMessageList>('/v1/message/inbound', {
    query: { ...filters, limit: ROWS, cursor: place.cursor },
    everyMs: () => (place.cursor === undefined ? EVERY_MS : false),
  });
  const { submit, text, choice } = useTyped(values, change, fieldFaults(list.error));
  const { none, noneFound, keywords } = t.inbox;
  const empty = Object.keys(filters).length > 0 ? noneFound : none;
  return (
    <>
      <PageHead title={t.inbox.title} about={t.inbox.about} actions={<UpdatedNote query={list} />} />
      <Panel flush>
        <form onSubmit={submit} aria-label={t.messages.filters.label}>
          <Group px={PANEL_SIDES} pt="md" pb="xs" align="flex-end">
            <TextInput {...text('sender', t.inbox.sender)} placeholder="+49 170 …" />
            <NativeSelect
              {...choice('keyword', t.inbox.keyword)}
              data={[
                { value: '', label: t.inbox.anyText },
                ...Object.entries(keywords).map(([value, label]) => ({ value, label })),
              ]}
            />
            <Button type="submit" variant="default" leftSection={<Icon name="search" size={16} />}>
              {t.messages.filters.apply}
            </Button>
          </Group>
        </form>
        <ListView
          query={list}
          fields={FILTERS}
          label={t.inbox.title}
          columns={COLUMNS}
          keyOf={({ inboundId }) => inboundId}
          empty={
            <EmptyState icon="messages" title={empty.title}>
              {empty.about}
            </EmptyState>
          }
          place={place}
          onMove={moveTo}
        />
      </Panel>
    </>
  );
}

const COLUMNS: readonly Column<InboundMessage>[] = [
  {
    key: 'sender',
    head: t.inbox.sender,
    cell: SenderCell,
  },
  {
    key: 'text',
    head: t.inbox.text,
    isMain: true,
    isProse: true,
    cell: ({ message, keyword }) => (
      <>
        {keyword !== null && (
          <Badge variant="default" mr="xs">
            {t.inbox.keywords[keyword]}
          </Badge>
        )}
        {message === '' ? t.inbox.noText : message}
      </>
    ),
  },
  {
    key: 'recipient',
    head: t.inbox.recipient,
    wideOnly: true,
    cell: ({ recipient }) => <span className="number">{formatNumber(recipient)}</span>,
  },
  {
    key: 'reply',
    head: t.inbox.inReplyTo,
    wideOnly: true,
    cell: ({ inReplyTo }) =>
      inReplyTo === null ? (
        '–'
      ) : (
        <Anchor component={Link} href={`/messages/${inReplyTo}`}>
          {t.inbox.yourMessage}
        </Anchor>
      ),
  },
  {
    key: 'time',
    head: t.inbox.received,
    isNumber: true,
    wideOnly: true,
    cell: ({ receivedAt }) => <RecentTime at={receivedAt} />,
  },
];

/** On a phone, it has the time as well, and leaves the room to the text. */
function SenderCell({ sender, receivedAt }: InboundMessage) {
  return (
    <>
      <span className="number">{formatNumber(sender)}</span>
      <Text size="xs" c="dimmed" className="narrow-only">
        <RecentTime at={receivedAt} />
      </Text>
    </>
  );
}
