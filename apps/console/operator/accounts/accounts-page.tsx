import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatDay } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { useAddress } from '../../shell/use-address.js';
import { AccountLink } from '../parts/account-link.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { StateWord } from '../parts/state-word.js';
import { accountTone } from '../parts/tones.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import type { Account } from './account.js';
import { OpenAccount } from './open-account.js';

const TYPING_MS = 300;
const FILTERS = ['search', 'status', 'low'] as const;

const columns: readonly Column<Account>[] = [
  {
    key: 'name',
    head: t.accounts.name,
    isMain: true,
    cell: ({ accountId, name }) => <AccountLink accountId={accountId} name={name} />,
  },
  {
    key: 'status',
    head: t.accounts.status,
    cell: ({ status }) => <StateWord tone={accountTone(status)} word={t.accounts.statuses[status] ?? status} />,
  },
  {
    key: 'balance',
    head: t.accounts.balance,
    isNumber: true,
    cell: ({ creditRemaining, currency, isLow }) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        {isLow && <StateWord tone="warn" word={t.accounts.isLow} />}
        {formatMoney(creditRemaining, currency, { round: true })}
      </Group>
    ),
  },
  { key: 'tariff', head: t.accounts.tariff, wideOnly: true, cell: ({ tariff }) => tariff },
  {
    key: 'messages',
    head: t.accounts.messages,
    isNumber: true,
    wideOnly: true,
    cell: ({ messages }) => formatCount(messages),
  },
  {
    key: 'opened',
    head: t.accounts.opened,
    isNumber: true,
    wideOnly: true,
    cell: ({ createdAt }) => formatDay(createdAt),
  },
];

export default function AccountsPage() {
  const may = useMay();
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const [isOpening, setIsOpening] = useState(false);
  const accounts = usePolled<Page<Account>>('/accounts', {
    everyMs: SLOW_MS,
    query: { ...values, limit: PAGE_ROWS, cursor: place.cursor },
  });
  const isFiltered = Object.values(values).some((value) => value !== '');
  return (
    <>
      <PageHead
        title={t.accounts.title}
        actions={may('account.create') && <Button onClick={() => setIsOpening(true)}>{t.accounts.add}</Button>}
      />
      <Panel flush>
        <Group px={PANEL_SIDES} pt="md" pb="xs" gap="sm" align="flex-end">
          <SearchBox value={values.search} onChange={(search) => change({ search })} />
          <NativeSelect
            label={t.accounts.status}
            data={[
              { value: '', label: t.any },
              ...Object.entries(t.accounts.statuses).map(([value, label]) => ({ value, label })),
            ]}
            value={values.status}
            onChange={(event) => change({ status: event.currentTarget.value })}
          />
          <Checkbox
            label={t.accounts.onlyLow}
            checked={values.low === 'true'}
            onChange={(event) => change({ low: event.currentTarget.checked ? 'true' : '' })}
            pb={8}
          />
        </Group>
        <ListView
          query={accounts}
          label={t.accounts.title}
          columns={columns}
          keyOf={({ accountId }) => accountId}
          empty={
            <EmptyState icon="accounts" title={isFiltered ? t.accounts.noneFound : t.accounts.none}>
              {isFiltered ? t.accounts.noneFoundAbout : t.accounts.noneAbout}
            </EmptyState>
          }
          place={place}
          onMove={moveTo}
        />
      </Panel>
      {isOpening && <OpenAccount onClose={() => setIsOpening(false)} />}
    </>
  );
}

/** Searches when somebody stops to type. */
function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const tell = useDebouncedCallback(onChange, TYPING_MS);
  // What counts has no space at its end, after which somebody may go on to type.
  useEffect(() => setTyped((typed) => (typed.trim() === value ? typed : value)), [value]);
  return (
    <TextInput
      type="search"
      label={t.accounts.search}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value.trim());
      }}
      style={{ flex: '1 1 14rem' }}
    />
  );
}
