import { Anchor, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { CopyButton } from '../../shell/states/copy-button.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { AccountLink } from '../parts/account-link.js';
import { Facts } from '../parts/facts.js';
import { StateWord } from '../parts/state-word.js';
import { messageTone } from '../parts/tones.js';
import { OVERVIEW_MS, SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { CancelMessage } from './cancel-message.js';
import { LifeLine } from './life-line.js';
import type { MessageDetails, Segment } from './message.js';
import { RedactMessage } from './redact-message.js';

const ENDED = new Set(['delivered', 'undelivered', 'failed', 'canceled']);

export default function MessagePage() {
  const { id = '' } = useParams<{ id: string }>();
  const [isFinal, setFinal] = useState(false);
  const message = usePolled<MessageDetails>(`/messages/${id}`, { everyMs: isFinal ? SLOW_MS * 4 : OVERVIEW_MS });
  const ended = message.data !== undefined && ENDED.has(message.data.state);
  if (ended !== isFinal) setFinal(ended);
  return (
    <>
      <PageHead
        title={t.messages.message}
        about={
          <Group gap={4} wrap="nowrap">
            <span className="mono" style={{ overflowWrap: 'anywhere' }}>
              {id}
            </span>
            <CopyButton text={id} what={t.messages.id} />
          </Group>
        }
        actions={<UpdatedNote query={message} />}
      />
      <QueryView query={message}>{(data) => <Shown message={data} />}</QueryView>
    </>
  );
}

function Shown({ message }: { readonly message: MessageDetails }) {
  const may = useMay();
  const isOpen = message.state === 'queued' || message.state === 'scheduled';
  const canCancel = isOpen && may('message.cancel');
  // The days of texts and of numbers differ: one may be gone, and the other not.
  const isRedacted = message.isTextRemoved && message.recipient.endsWith('*');
  const canRedact = !isRedacted && may('redact.message');
  return (
    <Stack gap="md">
      {(canCancel || canRedact) && (
        <Group gap="sm">
          {canCancel && <CancelMessage message={message} />}
          {canRedact && <RedactMessage id={message.id} />}
        </Group>
      )}
      <Panel>
        <Facts facts={factsOf(message)} />
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title={t.messages.life}>
          <LifeLine message={message} />
        </Panel>
        {message.isTextRemoved ? <TextGone /> : <TextPanel key={message.id} id={message.id} />}
      </SimpleGrid>
      <Panel title={t.messages.segmentsTitle} flush>
        <DataTable
          label={t.messages.segmentsTitle}
          columns={columns}
          rows={message.segments}
          keyOf={({ position }) => String(position)}
          empty={<EmptyState icon="carriers" title={t.messages.noSegments} />}
        />
      </Panel>
    </Stack>
  );
}

function factsOf(message: MessageDetails): (readonly [string, React.ReactNode])[] {
  const { state, currency, carrier, accountId, accountName } = message;
  const time = (at: string | undefined) => (at === undefined ? undefined : formatTime(at));
  return [
    [t.messages.state, <StateWord key="state" tone={messageTone(state)} word={t.messages.states[state] ?? state} />],
    [t.messages.code, message.carrierCode],
    [t.messages.recipient, message.recipient],
    [
      t.messages.account,
      <span key="account">
        <AccountLink accountId={accountId} name={accountName} /> {message.test && `(${t.accounts.test})`}
      </span>,
    ],
    [
      t.messages.carrier,
      carrier === undefined ? undefined : (
        <Anchor key="carrier" component={Link} href={`/carriers/${encodeURIComponent(carrier)}`} size="sm">
          {carrier}
        </Anchor>
      ),
    ],
    [t.messages.segments, `${formatCount(message.segmentCount)}, ${message.encoding}`],
    [t.messages.price, formatMoney(message.price, currency)],
    [t.messages.charged, formatMoney(message.amount, currency)],
    [t.messages.attempts, formatCount(message.attempts)],
    [t.messages.sender, message.sender],
    [t.messages.reference, message.reference],
    [t.messages.tag, message.tag],
    [t.messages.accepted, time(message.createdAt)],
    [t.messages.sendAt, time(message.sendAt)],
    [t.messages.sentAt, time(message.sentAt)],
    [t.messages.finalAt, time(message.finalAt)],
    [t.messages.validUntil, ENDED.has(state) ? undefined : time(message.validUntil)],
    [t.messages.dueAt, time(message.dueAt)],
  ];
}

function TextGone() {
  return (
    <Panel title={t.messages.text}>
      <Text size="sm" c="dimmed">
        {t.messages.textEmpty}
      </Text>
    </Panel>
  );
}

/** The text is read only when somebody asks for it, and the audit log keeps that. */
function TextPanel({ id }: { readonly id: string }) {
  const may = useMay();
  const [isShown, setShown] = useState(false);
  const text = usePolled<MessageDetails>(`/messages/${id}`, {
    query: { text: 'true' },
    isOn: isShown,
    isRecorded: true,
  });
  return (
    <Panel title={t.messages.text}>
      {!isShown ? (
        <Stack gap="sm" align="flex-start">
          <Text size="sm" c="dimmed">
            {t.messages.textHidden}
          </Text>
          {may('message.read-text') && (
            <Button size="xs" variant="default" onClick={() => setShown(true)}>
              {t.messages.textShow}
            </Button>
          )}
        </Stack>
      ) : (
        <QueryView query={text}>
          {({ message = '' }) => (
            <Text size="sm" className="written" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {message === '' ? t.messages.textEmpty : message}
            </Text>
          )}
        </QueryView>
      )}
    </Panel>
  );
}

const columns: readonly Column<Segment>[] = [
  {
    key: 'position',
    head: t.messages.position,
    isNumber: true,
    cell: ({ position, isWhole }) => (isWhole ? t.messages.whole : formatCount(position)),
  },
  {
    key: 'state',
    head: t.messages.state,
    cell: ({ state }) => (
      <StateWord
        tone={state === 'refused' ? 'bad' : state === 'in_doubt' ? 'warn' : messageTone(state)}
        word={state.replace('_', ' ')}
      />
    ),
  },
  {
    key: 'code',
    head: t.messages.code,
    cell: ({ carrierCode }) => (
      <span className="mono breaks" style={{ overflowWrap: 'anywhere' }}>
        {carrierCode ?? ''}
      </span>
    ),
  },
  {
    key: 'id',
    head: t.messages.carrierId,
    wideOnly: true,
    cell: ({ carrierMessageId }) => <span className="mono">{carrierMessageId ?? '–'}</span>,
  },
  { key: 'attempt', head: t.messages.attempt, isNumber: true, wideOnly: true, cell: ({ attempt }) => attempt },
  {
    key: 'submitted',
    head: t.messages.submitted,
    isNumber: true,
    wideOnly: true,
    cell: ({ submittedAt }) => <span className="breaks">{formatTime(submittedAt)}</span>,
  },
  {
    key: 'settled',
    head: t.messages.settled,
    isNumber: true,
    wideOnly: true,
    cell: ({ settledAt }) => <span className="breaks">{settledAt === undefined ? '–' : formatTime(settledAt)}</span>,
  },
];
