import type { Command } from 'commander';
import { count, instant } from '../arguments.js';
import { defineCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, printable } from '../text.js';

const SHOWN_MAX = 50;

type Change = AnswerOf<'audit'>['data'][number];

interface AuditOptions {
  readonly account?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly by?: string;
  readonly csv?: true;
  readonly json?: true;
  readonly limit?: number;
}

export function defineAudit(audit: Command, session: Session): void {
  defineCommand(audit, [
    'audit',
    'audit --account 1001 --since 2026-11-20T00:00:00Z',
    'audit --by alice --limit 200 --json',
    'audit --since 2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z --csv > november.csv',
  ])
    .option('--account <id>', 'only what concerns this account')
    .option('--since <time>', 'only from this time on', instant)
    .option('--until <time>', 'only before this time', instant)
    .option('--by <who>', 'only by operators with this in their name')
    .option('--limit <n>', `how many at most, the newest (default: ${SHOWN_MAX}; with --csv all)`, count)
    .option('--csv', 'print CSV')
    .action(async ({ account, since, until, by, csv, json, limit }: AuditOptions, command: Command) => {
      if (csv === true && json === true) wrongUsage(command, '--csv and --json are two forms: give one of them');
      const selection = { account, since: since?.toISOString(), until: until?.toISOString(), by };
      const changes = await session.items('audit', selection, limit ?? (csv === true ? undefined : SHOWN_MAX));
      if (csv === true) {
        const { AUDIT_CSV_HEADER, auditCsv } = await import('#operations');
        process.stdout.write(`${AUDIT_CSV_HEADER}${auditCsv(changes)}`);
        return;
      }
      session.print(command, {
        json: changes,
        text: entriesOf(changes).map(entryText).join('\n\n') || 'No changes.',
      });
    });
}

/** Groups the changes of one transaction, in the order in which they were made. */
function entriesOf(changes: readonly Change[]): Change[][] {
  const entries: Change[][] = [];
  for (const change of changes) {
    const last = entries.at(-1);
    const [first] = last ?? [];
    if (first?.at === change.at && first.operator === change.operator) last?.unshift(change);
    else entries.push([change]);
  }
  return entries;
}

function entryText(entry: readonly Change[]): string {
  const [first] = entry;
  if (first === undefined) return '';
  const { host, sshClient, apiClient, command, application, databaseClient } = first.actor as Record<string, unknown>;
  const place =
    apiClient === undefined
      ? [host ?? databaseClient, sshClient === undefined ? undefined : `over SSH from ${sshClient}`]
      : [`from ${apiClient}`];
  const by = [first.operator, ...place.filter((part) => part !== undefined).map((part) => `${part}`)].join(', ');
  return [
    printable(`${moment(first.at)}  ${by}: ${command ?? application ?? 'unknown program'}`),
    ...entry.map((change) =>
      printable(`  ${change.subject} ${change.subjectId}, ${change.action}: ${wordsOf(change)}`),
    ),
  ].join('\n');
}

/** `status active -> suspended, sender - -> Acme`. */
function wordsOf({ before, after }: Change): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .filter((name) => wordOf(before?.[name]) !== wordOf(after?.[name]))
    .map((name) => {
      if (before === null) return `${name} ${wordOf(after?.[name])}`;
      if (after === null) return `${name} ${wordOf(before[name])}`;
      return `${name} ${wordOf(before[name])} -> ${wordOf(after[name])}`;
    })
    .join(', ');
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function wordOf(value: unknown): string {
  if (isNothing(value)) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
