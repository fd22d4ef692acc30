import {
  type ChangeSelection,
  type Database,
  listOperatorChanges,
  type NamedAccount,
  nameAccounts,
  type OperatorChange,
} from '#persistence';
import { csvHeader, csvLine } from './csv.js';
import { checkPeriod, momentOf, PAGE_ITEMS_MAX, type Page, type Paging, pageBy, type Wire } from './wire.js';

/** A change by an operator. Amounts in `before` and `after` are decimal strings; secrets are `***`. */
export interface AuditEntry extends Omit<OperatorChange, 'accountId' | 'before' | 'after'> {
  readonly accountId: string | null;
  readonly before: NonNullable<OperatorChange['before']> | null;
  readonly after: NonNullable<OperatorChange['after']> | null;
}

export interface AuditSelection {
  readonly account?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly by?: string | undefined;
  readonly subject?: string | undefined;
}

/**
 * The newest changes first.
 *
 * @throws OperatorError when `since` is after `until`, or there is no such account
 */
export async function audit(
  database: Database,
  { account, since, until, by, subject, ...paging }: AuditSelection & Paging,
): Promise<Page<NamedAccount<AuditEntry>>> {
  checkPeriod(since, until);
  const selection: ChangeSelection = {
    accountId: account,
    since: momentOf(since),
    until: momentOf(until),
    by,
    subject,
  };
  const page = await pageBy(
    paging,
    (limit, before) => listOperatorChanges(database, { ...selection, before }, limit),
    ({ changeId }) => changeId,
    auditEntry,
  );
  return { ...page, data: await nameAccounts(database, page.data) };
}

function auditEntry({ accountId, before, after, ...change }: OperatorChange): AuditEntry {
  return { ...change, accountId: accountId ?? null, before: before ?? null, after: after ?? null };
}

const COLUMNS = [
  'at',
  'operator',
  'from',
  'command',
  'accountId',
  'subject',
  'subjectId',
  'action',
  'before',
  'after',
] as const;
/** All but the time may hold what a person wrote. */
const FREE = new Set<string>(COLUMNS.slice(1));

/** The first line of the audit log as CSV. */
export const AUDIT_CSV_HEADER = csvHeader(COLUMNS);

/** A line for each change. `before` and `after` are JSON. */
export function auditCsv(entries: readonly (AuditEntry | Wire<AuditEntry>)[]): string {
  return entries
    .map(({ actor, before, after, ...entry }) => {
      const { host, sshClient, apiClient, databaseClient, command, application } = actor;
      const row = {
        ...entry,
        from: apiClient ?? sshClient ?? host ?? databaseClient,
        command: command ?? application,
        before: before && JSON.stringify(before),
        after: after && JSON.stringify(after),
      };
      return csvLine(row, COLUMNS, FREE);
    })
    .join('');
}

/**
 * All changes of a selection as CSV, the newest first, in pieces. Each page is a statement of its own.
 *
 * @throws OperatorError before the first piece when the given account does not exist
 */
export async function auditExport(database: Database, selection: AuditSelection): Promise<AsyncIterable<string>> {
  const read = (cursor?: string) => audit(database, { ...selection, limit: PAGE_ITEMS_MAX, cursor });
  return piecesOf(await read(), read);
}

async function* piecesOf(
  first: Page<AuditEntry>,
  read: (cursor: string) => Promise<Page<AuditEntry>>,
): AsyncGenerator<string> {
  yield AUDIT_CSV_HEADER;
  for (let page = first; ; page = await read(page.next)) {
    yield auditCsv(page.data);
    if (page.next === null) return;
  }
}
