import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatRecent } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { useAddress } from '../../shell/use-address.js';
import { AccountLink } from '../parts/account-link.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { StateWord } from '../parts/state-word.js';
import { messageTone } from '../parts/tones.js';
import { OVERVIEW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import type { Message } from './message.js';
import { FILTERS, instantOf, MessageFilters } from './message-filters.js';

export default function MessagesPage() {
  const may = useMay();
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const { since, until, ...rest } = values;
  const [isAsking, setAsking] = useState(false);
  // Texts are shown of the rows that they were asked for, and of no others.
  const rows = JSON.stringify([values, place.cursor]);
  const [rowsWithTexts, setRowsWithTexts] = useState<string>();
  const hasTexts = rowsWithTexts === rows;
  const messages = usePolled<Page<Message>>('/messages', {
    isRecorded: hasTexts,
    ...(!hasTexts && place.cursor === undefined && { everyMs: OVERVIEW_MS }),
    query: {
      ...rest,
      since: instantOf(since),
      until: instantOf(until),
      limit: PAGE_ROWS,
      cursor: place.cursor,
      ...(hasTexts && { texts: 'true' }),
    },
  });
  return (
    <>
      <PageHead
        title={t.messages.title}
        actions={
          <>
            <UpdatedNote query={messages} />
            {may('message.read-text') && (
              <Button variant="default" onClick={() => (hasTexts ? setRowsWithTexts(undefined) : setAsking(true))}>
                {hasTexts ? t.messages.hideTexts : t.messages.showTexts}
              </Button>
            )}
          </>
        }
      />
      <Panel flush>
        <MessageFilters values={values} faults={fieldFaults(messages.error)} onChange={change} />
        <ListView
          query={messages}
          fields={FILTERS}
          label={t.messages.title}
          columns={hasTexts ? [...columns, textColumn] : columns}
          keyOf={({ id }) => id}
          empty={
            <EmptyState icon="messages" title={t.messages.none}>
              {t.messages.noneAbout}
            </EmptyState>
          }
          place={place}
          onMove={moveTo}
        />
      </Panel>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.messages.textsTitle}
        act={t.messages.textsAct}
        onConfirm={() => {
          setRowsWithTexts(rows);
          setAsking(false);
        }}
        onClose={() => setAsking(false)}
      >
        {t.messages.textsAbout}
      </ConfirmDialog>
    </>
  );
}

const columns: readonly Column<Message>[] = [
  {
    key: 'at',
    head: t.messages.accepted,
    cell: ({ id, createdAt }) => (
      <Anchor component={Link} href={`/messages/${id}`} size="sm" className="breaks">
        {formatRecent(createdAt)}
      </Anchor>
    ),
  },
  {
    key: 'recipient',
    head: t.messages.recipient,
    cell: ({ recipient, test }) => (
      <span className="number">
        {recipient}
        {test && (
          <Text component="span" size="xs" c="dimmed" ml={8}>
            {t.accounts.test}
          </Text>
        )}
      </span>
    ),
  },
  {
    key: 'state',
    head: t.messages.state,
    cell: ({ state }) => <StateWord tone={messageTone(state)} word={t.messages.states[state] ?? state} />,
  },
  {
    key: 'reason',
    head: t.messages.code,
    wideOnly: true,
    cell: ({ carrierCode }) => (
      <span className="mono breaks" style={{ overflowWrap: 'anywhere' }}>
        {carrierCode ?? ''}
      </span>
    ),
  },
  {
    key: 'carrier',
    head: t.messages.carrier,
    wideOnly: true,
    cell: ({ carrier }) => <span className="breaks">{carrier ?? '–'}</span>,
  },
  {
    key: 'account',
    head: t.messages.account,
    wideOnly: true,
    cell: ({ accountId, accountName }) => <AccountLink accountId={accountId} name={accountName} isShort />,
  },
  {
    key: 'segments',
    head: t.messages.segments,
    isNumber: true,
    wideOnly: true,
    cell: ({ segmentCount }) => formatCount(segmentCount),
  },
  {
    key: 'charged',
    head: t.messages.charged,
    isMoney: true,
    wideOnly: true,
    cell: ({ amount, currency }) => formatMoney(amount, currency),
  },
];

const textColumn: Column<Message> = {
  key: 'text',
  head: t.messages.text,
  cell: ({ message = '' }) => (
    <span
      className="written"
      style={{ whiteSpace: 'pre-wrap', display: 'inline-block', minWidth: '16rem', overflowWrap: 'anywhere' }}
    >
      {message === '' ? t.messages.textEmpty : message}
    </span>
  ),
};
