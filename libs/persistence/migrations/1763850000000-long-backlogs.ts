import { ForwardMigration } from './forward-migration.js';

/** What waits in a backlog is left alone by the sweeper, so that a long one costs no more than a short one. */
export class LongBacklogs1763850000000 extends ForwardMigration {
  readonly name = 'LongBacklogs1763850000000';
  protected override readonly statements = `
    drop function if exists sweep_orders(integer, interval, interval, interval, boolean, timestamptz, integer);
    drop function if exists is_in_backlog(bigint, bigint);`;
  protected readonly files = ['dispatch-turns.sql', 'accept-messages.sql', 'claim-orders.sql', 'sweep-orders.sql'];
}
