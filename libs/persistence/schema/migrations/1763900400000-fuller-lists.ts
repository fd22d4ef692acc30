import { ForwardMigration } from './forward-migration.js';

/** Lists of orders and deposits tell more of each. The functions that gateways of 0.1.0 call stay as they were for them. */
export class FullerLists1763900400000 extends ForwardMigration {
  readonly name = 'FullerLists1763900400000';
  readonly summary = 'lists tell reason, times and segments of each message, and the booked amount of each deposit';
  protected readonly files = ['accounts/list-pages.sql'];
}
