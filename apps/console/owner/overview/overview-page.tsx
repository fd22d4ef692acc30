import { Anchor, Button, SimpleGrid, Stack, Tooltip } from '@mantine/core';
import { Link } from 'wouter';
import type { AccountSummary, Usage } from '#client';
import {
  averageOf,
  formatAverage,
  formatCount,
  formatMoney,
  formatPercent,
  microsOf,
} from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { useRead } from '../parts/use-api.js';
import { useSession } from '../session/use-session.js';
import { PendingNote } from '../usage/pending-note.js';
import { dayBefore, daysOf, deliveryRate, sumUsage } from '../usage/usage-sums.js';
import { t } from '../words.js';
import { daysLeft } from './days-left.js';
import { DestinationsTable } from './destinations-table.js';
import { FailuresPanel } from './failures-panel.js';
import { SpendChart, TrafficChart } from './usage-charts.js';

const USAGE = '/v1/account/usage';
const EVERY_MS = 15_000;
/** It is counted anew by the minute. */
const USAGE_EVERY_MS = 60_000;
/** What a balance may last and still be told in days, and how far back is asked whether an account is new. */
const DAYS_LONG = 366;

/** Does it work, what does it cost, and how long does the money last? */
export default function OverviewPage() {
  const summary = useRead<AccountSummary>('/v1/account', { everyMs: EVERY_MS });
  const usage = useRead<Usage>(USAGE, { everyMs: USAGE_EVERY_MS });
  const { scopes } = useSession();
  return (
    <>
      <PageHead
        title={t.overview.title}
        about={t.overview.about}
        actions={
          <>
            <UpdatedNote query={summary} />
            {scopes.includes('send') && (
              <Button component={Link} href="/compose" leftSection={<Icon name="compose" size={16} />}>
                {t.messages.send}
              </Button>
            )}
          </>
        }
      />
      <QueryView query={summary}>
        {(account) => <QueryView query={usage}>{(used) => <Content account={account} usage={used} />}</QueryView>}
      </QueryView>
    </>
  );
}

function Content({ account, usage }: { readonly account: AccountSummary; readonly usage: Usage }) {
  const { currency, creditRemaining, orderSummary } = account;
  const sums = sumUsage(usage.data);
  const rate = deliveryRate(sums);
  const days = daysOf(usage.from, usage.to);
  const { overview } = t;
  const { test: isTest } = useSession();
  const each = (total: bigint) => formatMoney(averageOf(total, sums.messages), currency);
  return (
    <Stack gap="md">
      <StatTiles>
        <StatTile
          label={isTest ? overview.testBalance : overview.balance}
          value={formatMoney(creditRemaining, currency, { round: true })}
          note={<LastsNote balance={microsOf(creditRemaining)} usage={usage} micros={sums.micros} days={days} />}
        />
        <StatTile
          label={overview.spent}
          value={formatMoney(sums.micros, currency, { round: true })}
          note={sums.messages === 0 ? overview.noSpend : overview.perMessage(each(sums.micros))}
        />
        <StatTile
          label={overview.sent}
          value={formatCount(sums.messages)}
          note={overview.ever(formatCount(orderSummary.messages.count))}
        />
        <StatTile
          label={overview.segments}
          value={formatCount(sums.segments)}
          note={overview.perMessageSegments(formatAverage(sums.segments, sums.messages))}
        />
        <StatTile
          label={overview.rate}
          value={
            rate === undefined ? (
              '–'
            ) : (
              <Tooltip label={overview.rateWhy} multiline w={260}>
                <span>{formatPercent(rate)}</span>
              </Tooltip>
            )
          }
          note={rate === undefined ? overview.noFinal : overview.final(formatCount(sums.delivered + sums.lost))}
        />
      </StatTiles>
      {sums.messages === 0 ? (
        <Panel title={overview.traffic} flush>
          <EmptyState icon="usage" title={overview.noTraffic.title}>
            {overview.noTraffic.about}
          </EmptyState>
        </Panel>
      ) : (
        <Charts usage={usage} currency={currency} days={days} />
      )}
      <PendingNote usage={usage} />
    </Stack>
  );
}

interface ChartsProps {
  readonly usage: Usage;
  readonly currency: string;
  readonly days: readonly string[];
}

function Charts({ usage, currency, days }: ChartsProps) {
  const { overview } = t;
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title={overview.traffic}>
          <TrafficChart usage={usage} days={days} />
        </Panel>
        <Panel title={overview.spend}>
          <SpendChart usage={usage} days={days} currency={currency} />
        </Panel>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <FailuresPanel usage={usage} />
        <Panel
          title={overview.destinations}
          flush
          actions={
            <Anchor component={Link} href="/usage" size="sm">
              {overview.all}
            </Anchor>
          }
        >
          <DestinationsTable usage={usage} currency={currency} />
        </Panel>
      </SimpleGrid>
    </>
  );
}

interface LastsNoteProps {
  /** In micro-units, like what was spent. */
  readonly balance: bigint;
  readonly micros: bigint;
  readonly usage: Usage;
  readonly days: readonly string[];
}

function LastsNote({ balance, micros, usage, days }: LastsNoteProps) {
  const query = { from: dayBefore(usage.from, DAYS_LONG), to: usage.from };
  const { data: before } = useRead<Usage>(USAGE, { query });
  const { overview } = t;
  if (micros <= 0n) return overview.noSpend;
  if (balance <= 0n) return overview.nothingLeft;
  // Until that is known, neither pace is told.
  if (before === undefined) return '\u00a0';
  const daysSent = new Set(usage.data.map(({ day }) => day));
  const isNew = before.data.length === 0;
  const left = daysLeft(balance, { micros, days, daysSent, isNew });
  if (left === undefined) return overview.noPace;
  return left > DAYS_LONG ? overview.lastsLong : overview.lasts(overview.dayCount(left));
}
