import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AccountGuardsShown, SuppressionItem, SuppressionList } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { Pager } from '../../shell/table/pager.js';
import { useAddress } from '../../shell/use-address.js';
import { useTyped } from '../../shell/use-typed.js';
import { useRead } from '../parts/use-api.js';
import { PrivacyPanel } from '../privacy/privacy-panel.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { ChangeList } from './change-list.js';

const PATH = '/v1/account/suppressions';
const ROWS = 50;
const FILTERS = ['recipient'] as const;

/** Numbers to which the account sends nothing, and what the operator lets it send. */
export default function SuppressionsPage() {
  const { scopes } = useSession();
  const { values, change: changeFilter, place, moveTo } = useAddress(FILTERS);
  // This list has pages by number: the cursor is the number of the page.
  const page = Number(place.cursor ?? 1);
  const list = useRead<SuppressionList>(PATH, { query: { ...values, page, limit: ROWS } });
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
      <Stack gap="md">
        <Panel flush>
          <Search values={values} faults={fieldFaults(list.error)} onChange={changeFilter} />
          <QueryView query={list} fields={FILTERS}>
            {({ data, pagination: { total, total_pages: pages } }) => (
              <>
                <DataTable
                  label={words.title}
                  rows={data}
                  keyOf={({ id }) => id}
                  empty={values.recipient === '' ? NONE : NOT_FOUND}
                  columns={columns}
                />
                <Pager
                  place={place}
                  shown={data.length}
                  isBefore={list.isPlaceholderData}
                  pagination={{ total, next: page < pages ? String(page + 1) : null }}
                  onMove={moveTo}
                />
              </>
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
        <PrivacyPanel />
      </Stack>
      {change !== undefined && <ChangeList kind={change} path={PATH} onClose={() => setChange(undefined)} />}
    </>
  );
}

interface SearchProps {
  readonly values: { readonly recipient: string };
  readonly faults: Readonly<Record<string, ReactNode>>;
  readonly onChange: (values: { readonly recipient: string }) => void;
}

/** Looks for one number: the list has hashes only. */
function Search({ values, faults, onChange }: SearchProps) {
  const words = t.suppressions;
  const { submit, clear, text } = useTyped(values, onChange, faults);
  return (
    <form onSubmit={submit} aria-label={words.find}>
      <Group gap="xs" px={PANEL_SIDES} pt="lg" pb="md" align="flex-end">
        <TextInput {...text('recipient', words.number)} placeholder="+49 170 …" inputMode="tel" />
        <Button type="submit" variant="default">
          {words.find}
        </Button>
        {values.recipient !== '' && (
          <Button variant="subtle" onClick={clear}>
            {words.showAll}
          </Button>
        )}
      </Group>
    </form>
  );
}

const NONE = (
  <EmptyState icon="holds" title={t.suppressions.none.title}>
    {t.suppressions.none.about}
  </EmptyState>
);
const NOT_FOUND = <EmptyState icon="check" title={t.suppressions.notFound} />;

const columns: readonly Column<SuppressionItem>[] = [
  { key: 'time', head: t.suppressions.columns.time, cell: ({ created_at: at }) => formatTime(at) },
  {
    key: 'hash',
    head: t.suppressions.columns.hash,
    wideOnly: true,
    cell: ({ id }) => <span className="mono">{id.slice(0, 12)}</span>,
  },
  { key: 'source', head: t.suppressions.columns.source, cell: ({ source }) => t.suppressions.sources[source] },
  {
    key: 'reason',
    head: t.suppressions.columns.reason,
    isMain: true,
    isProse: true,
    cell: ({ reason }) => reason ?? '–',
  },
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
