import { type Database, findAccount, isSandbox, type MonthlyStatement, monthlyStatement, ownerOf } from '#persistence';
import { statementCsv } from './statement-csv.js';
import { statementPage } from './statement-page.js';

export const MONTHLY_STATEMENT_TIMEOUT_MS = 120_000;

/** For spreadsheets, or a page to print. */
export type StatementFormat = 'csv' | 'html';

interface OfMonth {
  readonly accountId: string;
  /** In UTC, e.g. `2026-10`. */
  readonly month: string;
}

/** The statement of a month; docs/books.md says how it is made. */
export async function statement(database: Database, { accountId, month }: OfMonth): Promise<MonthlyStatement> {
  await findAccount(database, accountId);
  return monthlyStatement(database, accountId, month);
}

const MEDIA: Readonly<Record<StatementFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  html: 'text/html; charset=utf-8',
};

export interface StatementFile {
  readonly name: string;
  readonly media: string;
  readonly text: string;
}

/** Writes a statement. */
export function statementFile(made: MonthlyStatement, format: StatementFormat): StatementFile {
  const { accountId, month } = made;
  const name = `statement-${ownerOf(accountId)}${isSandbox(accountId) ? '-test' : ''}-${month}.${format}`;
  const text = format === 'csv' ? statementCsv(made) : statementPage(made);
  return { name, media: MEDIA[format], text };
}

/** The statement of a month as a file. */
export async function statementFileBy(
  database: Database,
  { format, ...wanted }: OfMonth & { readonly format: StatementFormat },
): Promise<StatementFile> {
  return statementFile(await statement(database, wanted), format);
}
