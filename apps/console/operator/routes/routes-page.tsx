import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { Notes } from '../parts/notes.js';
import { StateWord } from '../parts/state-word.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { NumberTest } from './number-test.js';
import { type Route, shownPrefix } from './route.js';
import { RouteEditor } from './route-editor.js';

const columns: readonly Column<Route>[] = [
  {
    key: 'prefix',
    head: t.routes.prefix,
    cell: ({ prefix }) => (
      <>
        <span className="number">{shownPrefix(prefix)}</span>
        {shownPrefix(prefix) === '*' && (
          <Text component="span" size="xs" c="dimmed" ml={8} className="wide-only">
            {t.routes.every}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'carrier',
    head: t.routes.carrier,
    isMain: true,
    cell: ({ carrier }) => (
      <Anchor component={Link} href={`/carriers/${encodeURIComponent(carrier)}`} size="sm">
        {carrier}
      </Anchor>
    ),
  },
  {
    key: 'state',
    head: t.carriers.state,
    cell: ({ carrierState }) => (
      <StateWord
        tone={carrierState === 'in use' ? 'good' : carrierState === 'paused' ? 'warn' : 'bad'}
        word={t.routes.carrierState[carrierState] ?? carrierState}
      />
    ),
  },
  { key: 'rank', head: t.routes.rank, isNumber: true, cell: ({ rank }) => formatCount(rank) },
  { key: 'weight', head: t.routes.weight, isNumber: true, wideOnly: true, cell: ({ weight }) => formatCount(weight) },
  {
    key: 'cost',
    head: t.routes.cost,
    isMoney: true,
    wideOnly: true,
    cell: ({ cost, currency }) => (cost === null || currency === null ? '–' : formatMoney(cost, currency)),
  },
];

export default function RoutesPage() {
  const may = useMay();
  const routes = usePolled<readonly Route[]>('/routes', { everyMs: SLOW_MS });
  const [isEditing, setEditing] = useState(false);
  const [notes, setNotes] = useState<readonly string[]>([]);
  return (
    <>
      <PageHead
        title={t.routes.title}
        about={t.routes.about}
        actions={
          !isEditing &&
          may('route.replace') &&
          routes.data !== undefined && <Button onClick={() => setEditing(true)}>{t.routes.edit}</Button>
        }
      />
      <Stack gap="md">
        <Notes notes={notes} onClose={() => setNotes([])} />
        {isEditing && routes.data !== undefined ? (
          <RouteEditor routes={routes.data} onNotes={setNotes} onClose={() => setEditing(false)} />
        ) : (
          <Panel flush>
            <QueryView query={routes}>
              {(rows) => (
                <DataTable
                  label={t.routes.title}
                  columns={columns}
                  rows={rows}
                  keyOf={({ prefix, carrier }) => `${prefix} ${carrier}`}
                  empty={
                    <EmptyState icon="routes" title={t.routes.none}>
                      {t.routes.noneAbout}
                    </EmptyState>
                  }
                />
              )}
            </QueryView>
          </Panel>
        )}
        {may('route.test') && <NumberTest />}
      </Stack>
    </>
  );
}
