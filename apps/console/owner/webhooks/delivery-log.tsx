import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Delivery, DeliveryList } from '#client';
import { beginOfDay, MOMENT } from '../../shell/date-fields.js';
import { formatCount } from '../../shell/format-numbers.js';
import { formatAgo, formatDuration } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column } from '../../shell/table/data-table.js';
import { EventName } from '../../shell/table/event-name.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { useAddress } from '../../shell/use-address.js';
import { BadBadge, DoubtBadge, GoodBadge } from '../parts/status-badge.js';
import { useRead } from '../parts/use-api.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';
import { DELIVERY_FILTERS, DeliveryFilters } from './delivery-filters.js';

const ROWS = 25;
const EVERY_MS = 5_000;

interface DeliveryLogProps {
  /** Of the webhook. */
  readonly path: string;
  readonly isDisabled: boolean;
}

/** Each attempt with the answer of the receiver; one event, or all of a time, can be sent again. */
export function DeliveryLog({ path, isDisabled }: DeliveryLogProps) {
  const { values, change, place, moveTo } = useAddress(DELIVERY_FILTERS);
  const [isReplaying, setIsReplaying] = useState(false);
  const notices = useNotices();
  const { from, to, ...choices } = values;
  const list = useRead<DeliveryList>(`${path}/deliveries`, {
    query: { ...choices, from: beginOfDay(from), to: beginOfDay(to, 1), limit: ROWS, cursor: place.cursor },
    everyMs: place.cursor === undefined ? EVERY_MS : false,
  });
  const { isBusy, send } = useSending();
  const replay = (body: Record<string, string>, done: string) =>
    send(async () => {
      await api.request(`${path}/replay`, { method: 'POST', body });
      notices.done(done);
      setIsReplaying(false);
    });
  const noLog = Object.values(values).every((value) => value === '') ? t.webhooks.noLog : t.webhooks.noneFound;
  const again = ({ eventId }: Delivery) => void replay({ eventId }, t.webhooks.redelivered);
  return (
    <>
      <Panel
        title={t.webhooks.log}
        flush
        actions={
          <Group gap="xs">
            <UpdatedNote query={list} />
            <Button size="xs" variant="default" disabled={isDisabled} onClick={() => setIsReplaying(true)}>
              {t.webhooks.replay}
            </Button>
          </Group>
        }
      >
        <DeliveryFilters values={values} faults={fieldFaults(list.error)} onChange={change} />
        <ListView
          query={list}
          fields={DELIVERY_FILTERS}
          label={t.webhooks.log}
          keyOf={({ eventId, attempt, at }) => `${eventId} ${attempt} ${at}`}
          empty={
            <EmptyState icon="webhooks" title={noLog.title}>
              {noLog.about}
            </EmptyState>
          }
          columns={isDisabled ? COLUMNS : [...COLUMNS, againColumn(again, isBusy)]}
          place={place}
          onMove={moveTo}
        />
      </Panel>
      {isReplaying && (
        <ReplayForm
          isBusy={isBusy}
          onReplay={(from) => void replay({ from }, t.webhooks.replayed)}
          onClose={() => setIsReplaying(false)}
        />
      )}
    </>
  );
}

interface ReplayFormProps {
  readonly isBusy: boolean;
  readonly onReplay: (from: string) => void;
  readonly onClose: () => void;
}

function ReplayForm({ isBusy, onReplay, onClose }: ReplayFormProps) {
  const [from, setFrom] = useState('');
  return (
    <FormDialog
      title={t.webhooks.replay}
      about={t.webhooks.replayAbout}
      act={t.webhooks.replay}
      isBusy={isBusy}
      isReady={from !== ''}
      onSubmit={() => onReplay(new Date(from).toISOString())}
      onClose={onClose}
    >
      <TextInput
        {...MOMENT}
        label={t.webhooks.replayFrom}
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        required
        data-autofocus
      />
    </FormDialog>
  );
}

const { logColumns: heads, outcomes, kinds } = t.webhooks;

const COLUMNS: readonly Column<Delivery>[] = [
  { key: 'outcome', head: heads.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    key: 'event',
    head: heads.event,
    cell: ({ type, kind, at }) => (
      <>
        <EventName name={kind === 'event' ? type : `${type} (${kinds[kind]})`} />
        <Text size="xs" c="dimmed" className="narrow-only">
          <RecentTime at={at} />
        </Text>
      </>
    ),
  },
  {
    key: 'answer',
    head: heads.answer,
    isMain: true,
    wideOnly: true,
    cell: ({ httpStatus, error }) => error ?? httpStatus ?? t.webhooks.noAnswer,
  },
  {
    key: 'took',
    head: heads.took,
    isNumber: true,
    wideOnly: true,
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
  { key: 'attempt', head: heads.attempt, isNumber: true, wideOnly: true, cell: ({ attempt }) => formatCount(attempt) },
  {
    key: 'next',
    head: heads.next,
    isNumber: true,
    wideOnly: true,
    // Once its time is over, the try has a line of its own.
    cell: ({ nextAttemptAt: at }) => (at === null || Date.parse(at) < Date.now() ? '–' : formatAgo(at)),
  },
  { key: 'time', head: heads.time, isNumber: true, wideOnly: true, cell: ({ at }) => <RecentTime at={at} /> },
];

function Outcome({ outcome }: Pick<Delivery, 'outcome'>) {
  if (outcome === 'delivered') return <GoodBadge>{outcomes.delivered}</GoodBadge>;
  return outcome === 'failed' ? <DoubtBadge>{outcomes.failed}</DoubtBadge> : <BadBadge>{outcomes.given_up}</BadBadge>;
}

function againColumn(onAgain: (delivery: Delivery) => void, isBusy: boolean): Column<Delivery> {
  return {
    key: 'again',
    head: t.webhooks.redeliver,
    isHeadHidden: true,
    isNumber: true,
    cell: (delivery) => (
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={t.webhooks.redeliverOf(delivery.type)}
        disabled={isBusy}
        onClick={() => onAgain(delivery)}
      >
        {t.webhooks.redeliver}
      </Button>
    ),
  };
}
