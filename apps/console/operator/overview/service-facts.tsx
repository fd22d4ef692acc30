import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { Facts } from '../parts/facts.js';
import { t } from '../words.js';
import type { Overview } from './overview.js';

export function ServiceFacts({ overview }: { readonly overview: Overview }) {
  const { processes, accountsByStatus, work, hold, workCountMax } = overview;
  const { gateway = 0, worker = 0, webhooks = 0 } = processes;
  const { active = 0, suspended = 0, closed = 0 } = accountsByStatus;
  const counted = (count: number) =>
    count >= workCountMax ? t.overview.atLeast(formatCount(count)) : formatCount(count);
  return (
    <Panel title={t.overview.service}>
      <Facts
        facts={[
          [t.overview.processes, t.overview.processWords(gateway, worker, webhooks)],
          [
            t.overview.accountCount,
            t.overview.accountWords(formatCount(active), formatCount(suspended), formatCount(closed)),
          ],
          [
            t.overview.hold,
            hold === undefined ? (
              t.overview.holdOff
            ) : (
              <Anchor key="hold" component={Link} href="/hold" size="sm">
                {t.overview.holdOn}
              </Anchor>
            ),
          ],
          [t.overview.doubt, counted(work.inDoubt)],
          [
            t.overview.unmatched,
            <Anchor key="receipts" component={Link} href="/receipts" size="sm">
              {counted(work.unmatchedReceipts)}
            </Anchor>,
          ],
          [t.overview.overdue, counted(work.overdue)],
        ]}
      />
    </Panel>
  );
}
