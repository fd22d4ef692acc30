import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MOMENT } from '../../shell/date-fields.js';
import { formatDuration } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column } from '../../shell/table/data-table.js';
import { EventName } from '../../shell/table/event-name.js';
import { ListView } from '../../shell/table/list-view.js';
import { FIRST_PLACE } from '../../shell/table/pager.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { instantOf } from '../messages/message-filters.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';

interface Attempt {
  readonly attemptId: number;
  readonly at: string;
  readonly eventId: string;
  readonly type: string;
  readonly outcome: string;
  readonly httpStatus?: number;
  readonly error?: string;
  readonly durationMs: number;
}

interface WebhookAttemptsProps {
  readonly endpointId: string;
  readonly url: string;
  /** To a webhook that is disabled nothing is sent again. */
  readonly isOn: boolean;
}

/** What a receiver answered; one event, or all of a time, can be sent again. */
export function WebhookAttempts({ endpointId, url, isOn }: WebhookAttemptsProps) {
  const path = `/webhooks/${endpointId}`;
  const mayReplay = useMay()('webhook.replay') && isOn;
  const notices = useNotices();
  const [place, setPlace] = useState(FIRST_PLACE);
  const [isReplaying, setReplaying] = useState(false);
  const attempts = usePolled<Page<Attempt>>(`${path}/attempts`, {
    query: { limit: PAGE_ROWS, cursor: place.cursor },
    ...(place.cursor === undefined && { everyMs: SLOW_MS }),
  });
  const again = useAct({ onDone: () => notices.done(t.webhooks.sentAgain) });
  const sendAgain = (eventId: string) => again.mutate({ path: `${path}/replay`, body: { eventId } });
  return (
    <Stack gap="sm">
      <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {url}
      </Text>
      {mayReplay && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setReplaying(true)}>
            {t.webhooks.replay}
          </Button>
        </Group>
      )}
      <ListView
        query={attempts}
        label={t.webhooks.attempts}
        columns={mayReplay ? [...columns, againColumn(sendAgain, again.isPending)] : columns}
        keyOf={({ attemptId }) => String(attemptId)}
        empty={<EmptyState icon="check" title={t.webhooks.noAttempts} />}
        place={place}
        onMove={setPlace}
      />
      {isReplaying && <ReplayTime path={path} onClose={() => setReplaying(false)} />}
    </Stack>
  );
}

function ReplayTime({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const notices = useNotices();
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const replay = useAct({
    isQuiet: true,
    onDone: () => {
      notices.done(t.webhooks.sentAgain);
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      size="lg"
      title={t.webhooks.replay}
      about={t.webhooks.replayAbout}
      act={t.webhooks.again}
      isBusy={replay.isPending}
      isReady={from !== '' && until !== '' && from < until}
      error={replay.error}
      onSubmit={() =>
        replay.mutate({ path: `${path}/replay`, body: { from: instantOf(from), until: instantOf(until) } })
      }
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          {...MOMENT}
          label={t.audit.since}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          required
          data-autofocus
        />
        <TextInput
          {...MOMENT}
          label={t.audit.until}
          value={until}
          error={from !== '' && until !== '' && from >= until ? t.webhooks.replayOrder : undefined}
          onChange={(event) => setUntil(event.currentTarget.value)}
          required
        />
      </SimpleGrid>
    </FormDialog>
  );
}

const columns: readonly Column<Attempt>[] = [
  { key: 'at', head: t.webhooks.at, wideOnly: true, cell: ({ at }) => <RecentTime at={at} /> },
  { key: 'type', head: t.webhooks.type, cell: TypeCell },
  {
    key: 'outcome',
    head: t.webhooks.outcome,
    cell: ({ outcome }) => (
      <StateWord
        tone={outcome === 'delivered' ? 'good' : outcome === 'failed' ? 'warn' : 'bad'}
        word={t.webhooks.outcomes[outcome] ?? outcome}
      />
    ),
  },
  { key: 'status', head: t.webhooks.status, wideOnly: true, isProse: true, cell: answerOf },
  {
    key: 'took',
    head: t.webhooks.took,
    isNumber: true,
    wideOnly: true,
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
];

/** On a phone, it has the time and the answer as well. */
function TypeCell(attempt: Attempt) {
  return (
    <>
      <EventName name={attempt.type} />
      <Text size="xs" c="dimmed" className="narrow-only">
        <RecentTime at={attempt.at} />, {answerOf(attempt)}
      </Text>
    </>
  );
}

function answerOf({ httpStatus, error }: Attempt): string | number {
  return httpStatus ?? error ?? '–';
}

function againColumn(onAgain: (eventId: string) => void, isBusy: boolean): Column<Attempt> {
  return {
    key: 'again',
    head: t.actions,
    isHeadHidden: true,
    cell: ({ eventId, type }) => (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t.webhooks.againOf(type)}
        disabled={isBusy}
        onClick={() => onAgain(eventId)}
      >
        {t.webhooks.again}
      </Button>
    ),
  };
}
