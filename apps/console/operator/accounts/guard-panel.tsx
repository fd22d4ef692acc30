import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { GuardSettings } from '#billing';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { PANEL_SIDES } from '../../shell/frame/panel.js';
import { QueryView } from '../../shell/states/query-view.js';
import { Facts } from '../parts/facts.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { LONG } from '../session/api.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { type Account, accountPath, type GuardSimulation, type Guards } from './account.js';
import { EditGuards } from './edit-guards.js';
import { SuppressNumber } from './suppress-number.js';

const DAYS = 7;

/** What an account may send: its own guards and those for all, what they would have refused, and its opt-outs. */
export function GuardPanel({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const isOpen = account.status !== 'closed';
  const path = `/guards/${accountId}`;
  const guards = usePolled<Guards>(path, { everyMs: SLOW_MS });
  const may = useMay();
  const [open, setOpen] = useState<'edit' | 'suppress'>();
  const [tried, setTried] = useState<GuardSimulation>();
  const trial = useAct<readonly GuardSimulation[]>({ onDone: ([simulation]) => setTried(simulation) });
  return (
    <QueryView query={guards}>
      {(data) => (
        <Stack gap="md" px={PANEL_SIDES} py="md">
          <Facts facts={factsOf(data, account.currency)} />
          <Group>
            {isOpen && may('guard.set') && <Button onClick={() => setOpen('edit')}>{t.accounts.guards.edit}</Button>}
            <Button
              variant="default"
              loading={trial.isPending}
              onClick={() => trial.mutate({ path: `${path}/simulate`, body: { days: DAYS }, ...LONG })}
            >
              {t.accounts.guards.simulate(DAYS)}
            </Button>
            {may('suppression.add') && (
              <Button variant="default" onClick={() => setOpen('suppress')}>
                {t.accounts.guards.suppress}
              </Button>
            )}
          </Group>
          {tried !== undefined && <Tried simulation={tried} />}
          {open === 'edit' && (
            <EditGuards guards={data} currency={account.currency} onClose={() => setOpen(undefined)} />
          )}
          {open === 'suppress' && (
            <SuppressNumber path={`${accountPath(accountId)}/suppressions`} onClose={() => setOpen(undefined)} />
          )}
        </Stack>
      )}
    </QueryView>
  );
}

function Tried({ simulation }: { readonly simulation: GuardSimulation }) {
  const { messages, refused, currency } = simulation;
  const words = t.accounts.guards;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">{words.tried(messages)}</Text>
      {refused.map((one) => (
        <Text key={one.code} size="sm">
          {words.refused(words.codes[one.code] ?? one.code, formatCount(one.messages), one.delivered)}
          {` ${formatMoney(one.amount, currency)}`}
        </Text>
      ))}
      {refused.length === 0 && <Text size="sm">{words.nothingRefused}</Text>}
    </Stack>
  );
}

function factsOf({ own, forAll }: Guards, currency: string): (readonly [string, string | undefined])[] {
  const words = t.accounts.guards;
  const shown = (name: keyof GuardSettings, textOf: (value: string) => string) => {
    const value = own[name] === undefined ? forAll[name] : own[name];
    if (value == null) return [words.names[name], own[name] === null ? words.off : t.none] as const;
    const text = textOf(Array.isArray(value) ? value.join(', ') : String(value));
    return [words.names[name], own[name] === undefined ? words.forAll(text) : text] as const;
  };
  const money = (value: string) => formatMoney(value, currency);
  const plain = (value: string) => value;
  return [
    shown('countries', plain),
    shown('priceMax', money),
    shown('spendDayMax', money),
    shown('spendMonthMax', money),
    shown('recipientHourMax', plain),
    shown('rangeHourMax', plain),
    shown('rangeDigits', plain),
    shown('rampDays', plain),
    shown('rampSpendDay', money),
  ];
}
