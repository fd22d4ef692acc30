import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AccountGuardsShown, SuppressionItem, SuppressionList } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { useRead } from '../parts/use-api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { ChangeList } from './change-list.js';

const PATH = '/v1/account/suppressions';
/** The newest; a number is looked for by itself. */
const ROWS = 100;

/** Numbers to which the account sends nothing, and what the operator lets it send. */
export default function SuppressionsPage() {
  const { scopes } = useSession();
  const list = useRead<SuppressionList>(PATH, { query: { limit: ROWS } });
  const guards = useRead<AccountGuardsShown>('/v1/account/guards');
  const [change, setChange] = useState<'add' | 'remove'>();
  const words = t.suppressions;
  return (
    <>
      <PageHead
        title={words.title}
        about={words.about}
        actions={
          <>
            {scopes.includes('send') && <Button onClick={() => setChange('add')}>{words.add}</Button>}
            {scopes.includes('manage') && (
              <Button variant="default" onClick={() => setChange('remove')}>
                {words.remove}
              </Button>
            )}
          </>
        }
      />
      <Panel flush>
        <QueryView query={list}>
          {({ data }) => (
            <DataTable
              label={words.title}
              rows={data}
              keyOf={({ id }) => id}
              empty={
                <EmptyState icon="holds" title={words.none.title}>
                  {words.none.about}
                </EmptyState>
              }
              columns={columns}
            />
          )}
        </QueryView>
      </Panel>
      <Panel title={words.guards}>
        <QueryView query={guards}>
          {(data) => (
            <Stack gap={4}>
              {linesOf(data).map((line) => (
                <Text key={line} size="sm">
                  {line}
                </Text>
              ))}
            </Stack>
          )}
        </QueryView>
      </Panel>
      {change !== undefined && <ChangeList kind={change} path={PATH} onClose={() => setChange(undefined)} />}
    </>
  );
}

const columns: readonly Column<SuppressionItem>[] = [
  { key: 'time', head: t.suppressions.columns.time, cell: ({ created_at: at }) => formatTime(at) },
  {
    key: 'hash',
    head: t.suppressions.columns.hash,
    isMain: true,
    cell: ({ id }) => <span className="mono">{id.slice(0, 12)}</span>,
  },
  { key: 'source', head: t.suppressions.columns.source, cell: ({ source }) => t.suppressions.sources[source] },
  { key: 'reason', head: t.suppressions.columns.reason, wideOnly: true, cell: ({ reason }) => reason ?? '–' },
];

function linesOf(guards: AccountGuardsShown): string[] {
  const { names, none } = t.suppressions.rules;
  const { countries, priceMax, spendDayMax, spendMonthMax, recipientHourMax, rangeHourMax, currency } = guards;
  const money = (amount: number) => formatMoney(amount, currency);
  const lines = [
    countries === null ? undefined : names.countries(countries.join(', ')),
    priceMax === null ? undefined : names.priceMax(money(priceMax)),
    spendDayMax === null ? undefined : names.spendDayMax(money(spendDayMax)),
    spendMonthMax === null ? undefined : names.spendMonthMax(money(spendMonthMax)),
    recipientHourMax === null ? undefined : names.recipientHourMax(recipientHourMax),
    rangeHourMax === null ? undefined : names.rangeHourMax(rangeHourMax),
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? [none] : lines;
}
