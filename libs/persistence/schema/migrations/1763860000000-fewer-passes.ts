import { ForwardMigration } from './forward-migration.js';

/**
 * Single messages are accepted, and what a carrier answers and reports for those of one segment is concluded, in fewer statements; a page
 * of orders is one row; the sweeper is done sooner with what waits. The function that gave pages in rows stays where it is: gateways of the release
 * before call it while they are replaced.
 */
export class FewerPasses1763860000000 extends ForwardMigration {
  readonly name = 'FewerPasses1763860000000';
  readonly summary = 'fewer statements for each message';
  protected override readonly statements =
    'drop function if exists conclude_others(uuid[], integer[], boolean[], integer[], text[], text, interval)';
  protected readonly files = [
    'accept/accept-messages.sql',
    'dispatch/record-submits.sql',
    'receipts/settle-receipts.sql',
    'dispatch/conclude-orders.sql',
    'recovery/sweep-orders.sql',
    'accounts/list-pages.sql',
  ];
}
