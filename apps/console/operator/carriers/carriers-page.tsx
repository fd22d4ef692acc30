import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../shell/format-numbers.js';
import { formatAgo } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { Notes } from '../parts/notes.js';
import { StateWord } from '../parts/state-word.js';
import { carrierTone } from '../parts/tones.js';
import { LIVE_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { AddCarrier } from './add-carrier.js';
import { type Carrier, pathOf } from './carrier.js';
import { CarrierActs } from './carrier-acts.js';

export default function CarriersPage() {
  const may = useMay();
  const carriers = usePolled<readonly Carrier[]>('/carriers', { everyMs: LIVE_MS });
  const [isAdding, setIsAdding] = useState(false);
  const [notes, setNotes] = useState<readonly string[]>([]);
  return (
    <>
      <PageHead
        title={t.carriers.title}
        actions={
          <>
            <UpdatedNote query={carriers} />
            {may('carrier.add') && <Button onClick={() => setIsAdding(true)}>{t.carriers.add}</Button>}
          </>
        }
      />
      <Stack gap="md">
        <Notes notes={notes} onClose={() => setNotes([])} />
        <Panel flush>
          <QueryView query={carriers}>
            {(rows) => (
              <DataTable
                label={t.carriers.title}
                columns={[...columns, actsColumn(setNotes)]}
                rows={rows}
                keyOf={({ name }) => name}
                empty={
                  <EmptyState icon="carriers" title={t.carriers.none}>
                    {t.carriers.noneAbout}
                  </EmptyState>
                }
              />
            )}
          </QueryView>
        </Panel>
      </Stack>
      {isAdding && <AddCarrier onClose={() => setIsAdding(false)} onNotes={setNotes} />}
    </>
  );
}

const columns: readonly Column<Carrier>[] = [
  {
    key: 'name',
    head: t.carriers.name,
    cell: ({ name, simulator }) => (
      <>
        <Anchor component={Link} href={pathOf(name)} size="sm" fw={600}>
          {name}
        </Anchor>
        {simulator && (
          <Text component="span" size="xs" c="dimmed" ml={8} className="wide-only">
            {t.carriers.simulator}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'state',
    head: t.carriers.state,
    cell: ({ state }) => <StateWord tone={carrierTone(state)} word={t.carriers.states[state] ?? state} />,
  },
  {
    key: 'binds',
    head: t.carriers.binds,
    isNumber: true,
    cell: ({ bindsUp, bindsWanted }) => t.carriers.bindsOf(bindsUp, bindsWanted),
  },
  { key: 'rate', head: t.carriers.rate, isNumber: true, wideOnly: true, cell: rateOf },
  {
    key: 'waiting',
    head: t.carriers.waiting,
    isNumber: true,
    wideOnly: true,
    cell: ({ waitingJobs }) => (waitingJobs === null ? '–' : formatCount(waitingJobs)),
  },
  {
    key: 'error',
    head: t.carriers.lastError,
    isMain: true,
    wideOnly: true,
    cell: ({ lastError }) =>
      lastError === null ? (
        <Text component="span" size="sm" c="dimmed">
          {t.carriers.noError}
        </Text>
      ) : (
        <span title={lastError.reason}>{`${formatAgo(lastError.at)}: ${lastError.reason}`}</span>
      ),
  },
];

/** What it takes now, against what it may take. */
function rateOf({ segmentsPerSecond = 0, tps }: Carrier): string {
  const now = formatCount(segmentsPerSecond);
  return tps === null ? t.carriers.noLimit(now) : t.carriers.rateOf(now, formatCount(tps));
}

function actsColumn(onNotes: (notes: readonly string[]) => void): Column<Carrier> {
  return {
    key: 'acts',
    head: t.actions,
    isHeadHidden: true,
    cell: (carrier) => <CarrierActs carrier={carrier} onNotes={onNotes} isMenu />,
  };
}
