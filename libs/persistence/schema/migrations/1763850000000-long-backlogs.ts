import { ForwardMigration } from './forward-migration.js';

/**
 * What waits in a backlog is left alone by the sweeper, so that a long one costs no more than a short one; an account's single
 * messages leave turns to its batches. The functions of dispatch have plans that stay right when empty tables grow.
 */
export class LongBacklogs1763850000000 extends ForwardMigration {
  readonly name = 'LongBacklogs1763850000000';
  readonly summary = 'long backlogs cost no more than short ones';
  protected override readonly statements = `
    -- Turns that an account has had since it stands in the ring: one of four is for its batches.
    alter table dispatch_turn add column if not exists taken integer not null default 0;
    drop function if exists sweep_orders(integer, interval, interval, interval, boolean, timestamptz, integer);
    drop function if exists is_in_backlog(bigint, bigint);`;
  protected readonly files = [
    'dispatch/dispatch-turns.sql',
    'accept/accept-messages.sql',
    'dispatch/claim-orders.sql',
    'dispatch/record-submits.sql',
    'receipts/settle-receipts.sql',
    'dispatch/conclude-orders.sql',
    'recovery/sweep-orders.sql',
  ];
}
