import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { formatCount } from '../../shell/format-numbers.js';
import { formatAgo, formatDay, formatDuration, formatRecent } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { type CarrierRow, notDelivered, type Overview, type Reason } from '../overview/overview.js';
import { Facts } from '../parts/facts.js';
import { Notes } from '../parts/notes.js';
import { StateWord } from '../parts/state-word.js';
import { carrierTone, messageTone } from '../parts/tones.js';
import { LIVE_MS, OVERVIEW_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';
import { type Bind, type CarrierDetails, pathOf } from './carrier.js';
import { CarrierActs } from './carrier-acts.js';

export default function CarrierPage() {
  const { name = '' } = useParams<{ name: string }>();
  const carrier = usePolled<CarrierDetails>(pathOf(name), { everyMs: LIVE_MS });
  const overview = usePolled<Overview>('/overview', { everyMs: OVERVIEW_MS });
  const [notes, setNotes] = useState<readonly string[]>([]);
  return (
    <>
      <PageHead title={name} about={t.carriers.name} actions={<UpdatedNote query={carrier} />} />
      <QueryView query={carrier}>
        {(details) => (
          <Stack gap="md">
            <CarrierActs carrier={details} onNotes={setNotes} />
            <Notes notes={notes} onClose={() => setNotes([])} />
            <State carrier={details} overview={overview.data} />
            <Binds carrier={details} />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              <Reasons name={name} overview={overview.data} />
              <Settings carrier={details} />
            </SimpleGrid>
          </Stack>
        )}
      </QueryView>
    </>
  );
}

interface StateProps {
  readonly carrier: CarrierDetails;
  readonly overview: Overview | undefined;
}

function State({ carrier, overview }: StateProps) {
  const { state, bindsUp, bindsWanted, waitingJobs, lastError } = carrier;
  const own = overview?.carriers.find(({ name }) => name === carrier.name);
  return (
    <Stack gap="md">
      <StatTiles>
        <StatTile
          label={t.carriers.state}
          value={<StateWord tone={carrierTone(state)} word={t.carriers.states[state] ?? state} />}
          note={t.carriers.bindsUp(bindsUp, bindsWanted)}
        />
        <StatTile
          label={t.carriers.rate}
          value={formatCount(carrier.segmentsPerSecond ?? 0)}
          note={carrier.tps === null ? t.carriers.unlimited : t.carriers.atMost(formatCount(carrier.tps))}
        />
        <StatTile
          label={t.carriers.hour}
          value={own === undefined ? '–' : formatCount(own.lastHour.sent)}
          note={
            own === undefined
              ? undefined
              : `${formatCount(own.lastHour.delivered)} ${t.messages.states.delivered}, ${formatCount(notDelivered(own.lastHour))} ${t.overview.bad.toLowerCase()}`
          }
        />
        <StatTile
          label={t.carriers.waiting}
          value={waitingJobs === null ? '–' : formatCount(waitingJobs)}
          note={own === undefined ? undefined : t.accounts.messageCount(own.waiting.messages)}
        />
        <StatTile
          label={t.carriers.receipts}
          value={own === undefined ? '–' : formatCount(own.awaitingReceipts.messages)}
          note={own === undefined ? undefined : receiptsNote(own)}
        />
      </StatTiles>
      {lastError !== null && (
        <Panel title={t.carriers.lastError}>
          <Text size="sm">{`${formatAgo(lastError.at)}: ${lastError.reason}`}</Text>
        </Panel>
      )}
    </Stack>
  );
}

function receiptsNote({ awaitingReceipts: { messages, oldestSeconds } }: CarrierRow): string {
  return messages === 0 ? t.carriers.noReceiptsAwaited : t.overview.oldest(formatDuration(oldestSeconds * 1_000));
}

function Binds({ carrier: { workerBinds, window } }: { readonly carrier: CarrierDetails }) {
  const columns: readonly Column<Bind>[] = [
    {
      key: 'worker',
      head: t.carriers.worker,
      isMain: true,
      cell: ({ worker }) => <span className="mono">{worker}</span>,
    },
    { key: 'role', head: t.carriers.role, wideOnly: true, cell: ({ role }) => role },
    {
      key: 'state',
      head: t.carriers.bindState,
      cell: ({ state }) => (
        <StateWord tone={state === 'bound' ? 'good' : state === 'down' ? 'bad' : 'busy'} word={state} />
      ),
    },
    {
      key: 'window',
      head: t.carriers.inUse,
      isNumber: true,
      cell: ({ slotsInUse }) => (slotsInUse === undefined ? '–' : t.carriers.inUseOf(slotsInUse, window)),
    },
    {
      key: 'since',
      head: t.carriers.since,
      isNumber: true,
      wideOnly: true,
      cell: ({ boundSince }) => (boundSince === null ? '–' : formatRecent(boundSince)),
    },
  ];
  return (
    <Panel title={t.carriers.workers} flush>
      <DataTable
        label={t.carriers.workers}
        columns={columns}
        rows={workerBinds}
        keyOf={(bind) => `${bind.worker} ${bind.role} ${bind.boundSince} ${workerBinds.indexOf(bind)}`}
        empty={<EmptyState icon="carriers" title={t.carriers.noWorkers} />}
      />
    </Panel>
  );
}

function Reasons({ name, overview }: { readonly name: string; readonly overview: Overview | undefined }) {
  const id = overview?.carriers.find((carrier) => carrier.name === name)?.carrierId;
  const columns: readonly Column<Reason>[] = [
    { key: 'code', head: t.overview.reason, isMain: true, cell: ({ code }) => <span className="mono">{code}</span> },
    {
      key: 'event',
      head: t.overview.state,
      cell: ({ event }) => <StateWord tone={messageTone(event)} word={t.messages.states[event] ?? event} />,
    },
    { key: 'messages', head: t.overview.messages, isNumber: true, cell: ({ messages }) => formatCount(messages) },
  ];
  return (
    <Panel title={t.carriers.reasons} flush>
      <DataTable
        label={t.carriers.reasons}
        columns={columns}
        rows={overview?.reasons.filter(({ carrierId }) => carrierId === id) ?? []}
        keyOf={({ event, code }) => `${event} ${code}`}
        empty={<EmptyState icon="check" title={t.carriers.noReasons} />}
      />
    </Panel>
  );
}

function Settings({ carrier }: { readonly carrier: CarrierDetails }) {
  const { address, protocol, window, tps, binds, messageId, alphabet, inDoubt, options, routes, createdAt } = carrier;
  return (
    <Panel title={t.carriers.about}>
      <Facts
        facts={[
          [
            t.carriers.address,
            <span key="address" className="mono">
              {address}
            </span>,
          ],
          [t.carriers.protocol, protocol],
          [t.carriers.window, formatCount(window)],
          [t.carriers.tps, tps === null ? t.carriers.unlimited : formatCount(tps)],
          [t.carriers.bindCount, binds === null ? t.carriers.each : formatCount(binds)],
          [t.carriers.messageId, messageId],
          [t.carriers.alphabet, alphabet],
          [t.carriers.inDoubt, inDoubt],
          [
            t.carriers.routes,
            routes.length === 0 ? (
              t.carriers.noRoutes
            ) : (
              <Anchor key="routes" component={Link} href="/routes" size="sm">
                {routes.join(', ')}
              </Anchor>
            ),
          ],
          [
            t.carriers.unmatched,
            <Anchor
              key="unmatched"
              component={Link}
              href={`/receipts?carrier=${encodeURIComponent(carrier.name)}`}
              size="sm"
            >
              {t.carriers.listUnmatched}
            </Anchor>,
          ],
          [t.carriers.added, formatDay(createdAt)],
          ...Object.entries(options).map(([option, value]) => [option, value] as const),
        ]}
      />
    </Panel>
  );
}
