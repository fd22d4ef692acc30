import type pg from 'pg';
import { nameIn } from '../history/carrier-log.js';
import { readJsonLines } from '../history/history.js';

/** Lines of the simulator's log that say what should become of segments; docs/simulator.md has all. */
type OracleLine =
  | {
      readonly kind: 'submit';
      readonly text?: string;
      readonly concatenation?: { readonly part: number; readonly total: number };
      readonly isTaken: boolean;
      readonly messageId?: string;
      readonly truth?: string;
    }
  | { readonly kind: 'receipt'; readonly messageId: string; readonly aboutId: string }
  | { readonly kind: 'acknowledgement'; readonly status: number }
  | { readonly kind: 'bind' | 'pdu' | 'malformed' | 'closed' };

export interface OracleCounts {
  readonly taken: number;
  /** deliver_sm that went out, repeated ones included, and those that were answered with ESME_ROK. */
  readonly receipts: number;
  readonly acknowledged: number;
}

const ROWS = 5_000;

/** Tables of the harness beside those of the service; they take no part in anything that it does. */
export const ORACLE_TABLES = `
  create schema faults;
  create table faults.accepted (name text primary key, id uuid not null, segments smallint not null);
  create table faults.taken (name text, position smallint not null, carrier_message_id text not null, truth text not null,
                             total smallint not null, text text not null);
  create table faults.orphan (carrier_message_id text primary key);`;

/** Reads the carrier's log once, line by line, into tables: what does not fit into memory is compared by SQL. */
export async function loadOracle(logFile: string, database: pg.Client): Promise<OracleCounts> {
  let [count, receipts, acknowledged] = [0, 0, 0];
  let taken: [string | null, number, string, string, number, string][] = [];
  let orphans: string[] = [];
  const flush = async () => {
    const columns = ([0, 1, 2, 3, 4, 5] as const).map((index) => taken.map((row) => row[index]));
    await database.query(TAKEN, columns);
    await database.query(ORPHANS, [orphans]);
    [taken, orphans] = [[], []];
  };
  for await (const line of readJsonLines<OracleLine>(logFile)) {
    if (line.kind === 'submit' && line.isTaken) {
      count += 1;
      const { text = '', concatenation, messageId = '', truth = 'unsettled' } = line;
      const { part = 1, total = 1 } = concatenation ?? {};
      taken.push([nameIn(text) ?? null, part, messageId, truth, total, text]);
    } else if (line.kind === 'receipt') {
      receipts += 1;
      if (line.aboutId !== line.messageId) orphans.push(line.aboutId);
    } else if (line.kind === 'acknowledgement' && line.status === 0) {
      acknowledged += 1;
    }
    if (taken.length + orphans.length >= ROWS) await flush();
  }
  await flush();
  return { taken: count, receipts, acknowledged };
}

const TAKEN = `
  insert into faults.taken (name, position, carrier_message_id, truth, total, text)
  select * from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::smallint[], $6::text[])`;
const ORPHANS = `
  insert into faults.orphan (carrier_message_id) select distinct unnest($1::text[]) on conflict do nothing`;
