import type { Command } from 'commander';
import { counted } from '#operations';
import { isSandbox, ownerOf } from '#persistence';
import { addCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

export function addLedgerCommands(ledger: Command, session: Session): void {
  addCommand(ledger, 'verify', 'recompute every invariant of the ledger; exit code 1 when one does not hold', [
    'ledger verify',
    'ledger verify --json',
  ]).action(async (_options, command: Command) => {
    const report = await session.call('ledger.verify', {});
    session.print(command, { json: report, text: reportText(report), isFailure: !report.isClean });
  });
}

function reportText(report: AnswerOf<'ledger.verify'>): string {
  const broken = report.checks.filter((check) => check.offenders > 0);
  const checks = table(
    ['check', '>offenders', 'what must hold'],
    report.checks.map(({ name, offenders, meaning }) => [name, offenders === 0 ? 'none' : offenders, meaning]),
    'No checks.',
  );
  const examples = broken.map(({ name, offenders, examples: shown }) => {
    const lines = shown.map(({ accountId, subject, detail }) => `  ${holderOf(accountId)}, ${subject}: ${detail}`);
    return [
      `${name}: ${offenders} ${offenders > shown.length ? `(${shown.length} shown)` : ''}`.trimEnd(),
      ...lines,
    ].join('\n');
  });
  const seen = `${counted(report.messages, 'message')} and ${counted(report.journalEntries, 'journal entry', 'journal entries')} of ${counted(report.accounts, 'account')}${report.sandboxes > 0 ? `; also ${counted(report.sandboxes, 'sandbox', 'sandboxes')} of test keys` : ''}`;
  const verdict =
    broken.length === 0
      ? `The ledger is clean: ${seen}.`
      : `The ledger is NOT clean: ${counted(broken.length, 'check fails', 'checks fail')} on ${seen}.`;
  return [checks, ...examples, verdict].join('\n\n');
}

function holderOf(accountId: string | undefined): string {
  if (accountId === undefined) return 'account (unknown)';
  return isSandbox(accountId) ? `the sandbox of account ${ownerOf(accountId)}` : `account ${accountId}`;
}
