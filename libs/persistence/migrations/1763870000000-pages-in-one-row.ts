import { ForwardMigration } from './forward-migration.js';

/**
 * A page of orders is one row; the sweeper looks at fewer orders twice; accepting and concluding in their newest form. The function that
 * gave pages in rows stays where it is: gateways of the release before call it while they are replaced.
 */
export class PagesInOneRow1763870000000 extends ForwardMigration {
  readonly name = 'PagesInOneRow1763870000000';
  protected readonly files = [
    'accept-messages.sql',
    'record-submits.sql',
    'settle-receipts.sql',
    'conclude-orders.sql',
    'sweep-orders.sql',
    'list-pages.sql',
  ];
}
