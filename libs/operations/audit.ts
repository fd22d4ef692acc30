import { type ChangeSelection, type Database, listOperatorChanges, type OperatorChange } from '#persistence';
import { momentOf, type Page, type Paging, pageBy } from './wire.js';

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

/** The newest changes first. */
export function audit(
  database: Database,
  { account, since, until, by, subject, ...paging }: AuditSelection & Paging,
): Promise<Page<AuditEntry>> {
  const selection: ChangeSelection = {
    accountId: account,
    since: momentOf(since),
    until: momentOf(until),
    by,
    subject,
  };
  return pageBy(
    paging,
    (limit, before) => listOperatorChanges(database, { ...selection, before }, limit),
    ({ changeId }) => changeId,
    auditEntry,
  );
}

function auditEntry({ accountId, before, after, ...change }: OperatorChange): AuditEntry {
  return { ...change, accountId: accountId ?? null, before: before ?? null, after: after ?? null };
}
