import { Button, Stack, Text, Title } from '@mantine/core';
import { formatCount } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { ErrorPanel } from '../../shell/states/error-panel.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { LONG } from '../session/api.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';

interface Check {
  readonly name: string;
  readonly meaning: string;
  readonly offenders: number;
  readonly examples: readonly { readonly accountId?: string; readonly subject: string; readonly detail: string }[];
}

interface Report {
  readonly isClean: boolean;
  readonly snapshotAt: string;
  readonly accounts: number;
  readonly messages: number;
  readonly journalEntries: number;
  readonly checks: readonly Check[];
}

const columns: readonly Column<Check>[] = [
  {
    key: 'state',
    head: t.ledger.check,
    cell: ({ offenders }) => (
      <StateWord tone={offenders === 0 ? 'good' : 'bad'} word={offenders === 0 ? t.ledger.ok : t.ledger.fails} />
    ),
  },
  {
    key: 'meaning',
    head: t.ledger.holds,
    cell: ({ meaning, examples }) => (
      <div style={{ whiteSpace: 'normal' }}>
        {meaning}
        {examples.map(({ accountId, subject, detail }) => (
          <Text key={`${accountId} ${subject} ${detail}`} size="xs" c="var(--mantine-color-error)">
            {[accountId, subject, detail].filter(Boolean).join(': ')}
          </Text>
        ))}
      </div>
    ),
  },
  { key: 'offenders', head: t.ledger.offenders, isNumber: true, cell: ({ offenders }) => formatCount(offenders) },
];

export default function LedgerPage() {
  const may = useMay();
  const verify = useAct<Report>({ isQuiet: true });
  const { data: report } = verify;
  return (
    <>
      <PageHead
        title={t.ledger.title}
        about={t.ledger.about}
        actions={
          may('ledger.verify') && (
            <Button loading={verify.isPending} onClick={() => verify.mutate({ path: '/ledger/verify', ...LONG })}>
              {t.ledger.verify}
            </Button>
          )
        }
      />
      <Stack gap="md" aria-live="polite">
        {verify.isError && <ErrorPanel error={verify.error} />}
        {report === undefined ? (
          <Panel>
            <EmptyState icon="ledger" title={verify.isPending ? t.ledger.running : t.ledger.never}>
              {t.ledger.verifyHint}
            </EmptyState>
          </Panel>
        ) : (
          <Shown report={report} />
        )}
      </Stack>
    </>
  );
}

function Shown({ report }: { readonly report: Report }) {
  const broken = report.checks.filter(({ offenders }) => offenders > 0);
  return (
    <>
      <Panel>
        <Title order={2}>
          <StateWord
            tone={report.isClean ? 'good' : 'bad'}
            word={report.isClean ? t.ledger.clean : t.ledger.broken(broken.length)}
          />
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          {t.ledger.read(report.accounts, report.messages, report.journalEntries)},{' '}
          {t.ledger.at(formatTime(report.snapshotAt))}
        </Text>
        {!report.isClean && (
          <Text size="sm" mt={4}>
            {t.ledger.runbook}
          </Text>
        )}
      </Panel>
      <Panel flush>
        <DataTable
          label={t.ledger.title}
          columns={columns}
          rows={[...broken, ...report.checks.filter(({ offenders }) => offenders === 0)]}
          keyOf={({ name }) => name}
          empty={null}
        />
      </Panel>
    </>
  );
}
