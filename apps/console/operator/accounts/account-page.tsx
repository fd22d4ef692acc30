import { Anchor, Stack, Tabs, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatDay } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { useAddress } from '../../shell/use-address.js';
import { Facts } from '../parts/facts.js';
import { StateWord } from '../parts/state-word.js';
import { accountTone } from '../parts/tones.js';
import { OVERVIEW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { type Account, accountPath } from './account.js';
import { AccountActs } from './account-acts.js';
import { DepositTable } from './deposit-table.js';
import { GuardPanel } from './guard-panel.js';
import { KeyTable } from './key-table.js';
import { LedgerTable } from './ledger-table.js';
import { PrivacyPanel } from './privacy-panel.js';
import { StatementPanel } from './statement-panel.js';

const TAB = ['tab'] as const;

export default function AccountPage() {
  const { accountId = '' } = useParams<{ accountId: string }>();
  const account = usePolled<Account>(accountPath(accountId), { everyMs: OVERVIEW_MS });
  return (
    <>
      <PageHead
        title={account.data?.name ?? accountId}
        about={`${t.accounts.toAccount} ${accountId}`}
        actions={<UpdatedNote query={account} />}
      />
      <QueryView query={account}>{(data) => <Shown account={data} />}</QueryView>
    </>
  );
}

function Shown({ account }: { readonly account: Account }) {
  const { accountId, currency, status, holdsQueued } = account;
  const money = (amount: string) => formatMoney(amount, currency, { round: true });
  return (
    <Stack gap="md">
      <AccountActs account={account} />
      <StatTiles>
        <StatTile
          label={t.accounts.balance}
          value={money(account.creditRemaining)}
          note={`${t.accounts.creditLimit}: ${money(account.creditLimit)}`}
        />
        <StatTile label={t.accounts.reserved} value={money(account.reserved)} note={t.accounts.ofMessages} />
        <StatTile label={t.accounts.captured} value={money(account.captured)} note={t.accounts.ofTaken} />
        <StatTile
          label={t.accounts.status}
          value={<StateWord tone={accountTone(status)} word={t.accounts.statuses[status] ?? status} />}
          note={
            <Anchor component={Link} href={`/messages?account=${accountId}`} size="sm">
              {t.accounts.messageCount(account.messages)}
            </Anchor>
          }
        />
      </StatTiles>
      {holdsQueued && <Text size="sm">{t.accounts.holds}</Text>}
      <Panel title={t.accounts.settings}>
        <Facts facts={factsOf(account)} />
      </Panel>
      <Parts account={account} />
    </Stack>
  );
}

function Parts({ account }: { readonly account: Account }) {
  const may = useMay();
  const { values, change } = useAddress(TAB);
  const parts = [
    { key: 'ledger', label: t.accounts.ledger, needs: 'account.ledger', shown: <LedgerTable account={account} /> },
    { key: 'deposits', label: t.accounts.deposits, needs: 'deposit.list', shown: <DepositTable account={account} /> },
    {
      key: 'statements',
      label: t.accounts.statements,
      needs: 'statement',
      shown: <StatementPanel account={account} />,
    },
    { key: 'keys', label: t.accounts.keys, needs: 'key.list', shown: <KeyTable account={account} /> },
    { key: 'guards', label: t.accounts.guards.title, needs: 'guard.show', shown: <GuardPanel account={account} /> },
    {
      key: 'privacy',
      label: t.accounts.privacy.title,
      needs: 'retention.show-account',
      shown: <PrivacyPanel accountId={account.accountId} />,
    },
  ].filter(({ needs }) => may(needs));
  const [first] = parts;
  if (first === undefined) return null;
  // The address may be of a colleague whose role allows more.
  const { key: open } = parts.find(({ key }) => key === values.tab) ?? first;
  return (
    <Panel flush>
      <Tabs value={open} onChange={(tab) => change({ tab: tab ?? '' })} keepMounted={false}>
        <Tabs.List px="md" pt="xs">
          {parts.map(({ key, label }) => (
            <Tabs.Tab key={key} value={key}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {parts.map(({ key, shown }) => (
          <Tabs.Panel key={key} value={key}>
            {shown}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

function factsOf(account: Account): (readonly [string, string | undefined])[] {
  const { currency, rateLimitPerSecond, maxInFlight, balanceAlert, allowedSenders } = account;
  return [
    [t.accounts.tariff, account.tariff],
    [t.accounts.currency, currency],
    [t.accounts.rateLimit, rateLimitPerSecond === null ? t.accounts.unlimited : formatCount(rateLimitPerSecond)],
    [t.accounts.maxInFlight, maxInFlight === null ? t.accounts.usualInFlight : formatCount(maxInFlight)],
    [t.accounts.sender, account.sender ?? t.accounts.usualSender],
    [t.accounts.allowedSenders, allowedSenders.length === 0 ? t.none : allowedSenders.join(', ')],
    [t.accounts.balanceAlert, balanceAlert === null ? t.none : formatMoney(balanceAlert, currency)],
    [t.accounts.opened, formatDay(account.createdAt)],
  ];
}
