import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from './forward-migration.js';

/**
 * A record of what operators change; names of accounts that are unique, accounts that are closed, and accounts of which the queued
 * messages are held; countries of rates.
 */
export class Operators1763900300000 extends ForwardMigration {
  readonly name = 'Operators1763900300000';
  readonly summary =
    'what operators change is recorded (`smsctl audit`); accounts with the same name got their number behind it';
  protected override readonly statements = TABLES;
  protected readonly files = FILES;

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await makeNamesUnique(runner);
  }
}

const TABLES = `
  -- Append-only. What is written, and by whom, says sql/operator-changes.sql.
  create table operator_change (
    change_id  bigint generated always as identity primary key,
    at         timestamptz not null default now(),
    operator   text not null,
    actor      jsonb not null,
    -- A table and the row of it, by the columns that name it for people.
    subject    text not null,
    subject_id text not null,
    account_id bigint,
    action     text not null,
    before     jsonb,
    after      jsonb
  );
  create index operator_change_account on operator_change (account_id, change_id) where account_id is not null;
  create index operator_change_at on operator_change (at);

  alter table account drop constraint account_status_check;
  alter table account add constraint account_status_check check (status in ('active', 'suspended', 'closed'));

  -- Suspended accounts of which the queued messages wait for the account to be resumed. Every claim reads it, so it is no column of
  -- account: nearly always it is empty, and that costs nothing to see.
  create table held_account (
    account_id bigint primary key references account,
    held_at    timestamptz not null default now()
  );

  -- What the prefix stands for, for people.
  alter table tariff_rate add column country text check (length(country) between 1 and 100);

  drop function if exists active_hold();
`;

const FILES = [
  'operators/operator-changes.sql',
  'recovery/dispatch-hold.sql',
  'dispatch/claim-orders.sql',
  'dispatch/dispatch-turns.sql',
  'dispatch/fail-unroutable.sql',
  'recovery/sweep-orders.sql',
  'accept/accept-messages.sql',
];

/** Of accounts with one name the oldest keeps it; the others get their number behind it, which the record of changes tells as well. */
async function makeNamesUnique(runner: QueryRunner): Promise<void> {
  await runner.query(`select set_config('heliograph.actor', '{"operator": "upgrade to 0.2.0"}', true)`);
  const renamed = (await runner.query(`
    with doubled as (
      select account_id, name, row_number() over (partition by name order by account_id) as n from account
    )
    update account a set name = d.name || ' (' || a.account_id || ')'
      from doubled d where d.account_id = a.account_id and d.n > 1
    returning a.account_id, a.name`)) as [{ account_id: string; name: string }[], number];
  await runner.query(`create unique index account_name on account (name) where status <> 'closed'`);
  await runner.query(`select set_config('heliograph.actor', '', true)`);
  for (const { account_id, name } of renamed[0]) {
    process.emitWarning(`account ${account_id} is now called "${name}": another one has its name`, 'HeliographUpgrade');
  }
}
