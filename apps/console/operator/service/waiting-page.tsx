import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount, formatRate } from '../../shell/format-numbers.js';
import { formatDuration } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { StateWord } from '../parts/state-word.js';
import { carrierTone } from '../parts/tones.js';
import { LIVE_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';

interface Jobs {
  readonly interactive: number;
  readonly bulk: number;
  readonly delayed: number;
  readonly active: number;
}

interface CarrierQueue {
  readonly carrier: string;
  readonly state: string;
  readonly jobs: Jobs | null;
  readonly jobsPerSecond: number;
  readonly segmentsPerSecond: number;
}

interface Backlog {
  readonly carrier: string | null;
  readonly accounts: number;
  readonly messages: number;
}

interface Queues {
  readonly isUp: boolean;
  readonly isHeld: boolean;
  readonly queued: number;
  readonly oldestQueuedSeconds: number | null;
  readonly overdue: number;
  readonly inDoubt: number;
  readonly carriers: readonly CarrierQueue[];
  readonly backlogs: readonly Backlog[];
}

/** What has not ended, in the order in which messages go through it. */
const WAITING_STATES = ['queued', 'sending', 'sent'] as const;

export default function WaitingPage() {
  const queues = usePolled<Queues>('/queues', { everyMs: LIVE_MS });
  return (
    <>
      <PageHead
        title={t.waiting.title}
        about={t.waiting.about}
        actions={
          <>
            <UpdatedNote query={queues} />
            <Button component="a" href="/queues" variant="default" rightSection={<Icon name="external" size={15} />}>
              {t.waiting.board}
            </Button>
          </>
        }
      />
      <QueryView query={queues}>{(data) => <Shown queues={data} />}</QueryView>
    </>
  );
}

function Shown({ queues }: { readonly queues: Queues }) {
  const { isUp, isHeld, queued, oldestQueuedSeconds, overdue, inDoubt, carriers, backlogs } = queues;
  return (
    <Stack gap="md">
      {!isUp && (
        <Alert color="red" variant="light" icon={<Icon name="warning" />} title={t.waiting.down} role="alert">
          {t.waiting.downAbout}
        </Alert>
      )}
      {isHeld && (
        <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
          {t.waiting.held}
        </Alert>
      )}
      <StatTiles>
        <StatTile label={t.waiting.queued} value={formatCount(queued)} note={isUp ? t.waiting.up : t.waiting.down} />
        <StatTile
          label={t.waiting.oldest}
          value={oldestQueuedSeconds === null ? '–' : formatDuration(oldestQueuedSeconds * 1_000)}
        />
        <StatTile label={t.waiting.overdue} value={formatCount(overdue)} note={t.waiting.overdueNote} />
        <StatTile label={t.waiting.doubt} value={formatCount(inDoubt)} note={t.waiting.doubtNote} />
      </StatTiles>
      <Group gap="md">
        <Text size="sm">{t.waiting.stuck}</Text>
        {WAITING_STATES.map((state) => (
          <Anchor key={state} component={Link} href={`/messages?state=${state}`} size="sm">
            {t.messages.states[state] ?? state}
          </Anchor>
        ))}
      </Group>
      <Panel title={t.waiting.jobs} flush>
        <DataTable
          label={t.waiting.jobs}
          columns={jobColumns}
          rows={carriers}
          keyOf={({ carrier }) => carrier}
          empty={<EmptyState icon="carriers" title={t.waiting.noCarriers} />}
        />
      </Panel>
      <Panel title={t.waiting.backlogs} flush>
        <DataTable
          label={t.waiting.backlogs}
          columns={backlogColumns}
          rows={backlogs}
          keyOf={({ carrier }) => carrier ?? ''}
          empty={
            <EmptyState icon="check" title={t.waiting.noBacklog}>
              {t.waiting.noBacklogAbout}
            </EmptyState>
          }
        />
      </Panel>
    </Stack>
  );
}

const jobColumn = (key: keyof Jobs, head: string): Column<CarrierQueue> => ({
  key,
  head,
  isNumber: true,
  wideOnly: key === 'delayed' || key === 'active',
  cell: ({ jobs }) => (jobs === null ? '–' : formatCount(jobs[key])),
});

const jobColumns: readonly Column<CarrierQueue>[] = [
  { key: 'carrier', head: t.waiting.carrier, isMain: true, cell: ({ carrier }) => carrier },
  {
    key: 'state',
    head: t.waiting.state,
    cell: ({ state }) => <StateWord tone={carrierTone(state)} word={t.carriers.states[state] ?? state} />,
  },
  jobColumn('interactive', t.waiting.interactive),
  jobColumn('bulk', t.waiting.bulk),
  jobColumn('delayed', t.waiting.delayed),
  jobColumn('active', t.waiting.active),
  {
    key: 'rate',
    head: t.waiting.rate,
    isNumber: true,
    wideOnly: true,
    cell: ({ jobsPerSecond }) => t.overview.perSecond(formatRate(jobsPerSecond)),
  },
  {
    key: 'segments',
    head: t.waiting.segments,
    isNumber: true,
    wideOnly: true,
    cell: ({ segmentsPerSecond }) => t.overview.perSecond(formatCount(segmentsPerSecond)),
  },
];

const backlogColumns: readonly Column<Backlog>[] = [
  { key: 'carrier', head: t.waiting.carrier, isMain: true, cell: ({ carrier }) => carrier ?? t.waiting.any },
  { key: 'accounts', head: t.waiting.accounts, isNumber: true, cell: ({ accounts }) => formatCount(accounts) },
  { key: 'messages', head: t.waiting.messages, isNumber: true, cell: ({ messages }) => formatCount(messages) },
];
