import { ForwardMigration } from './forward-migration.js';

/** An account's rate limit counts messages, and only those that are accepted: a batch of 200 is 200. */
export class LimitsByMessage1763900500000 extends ForwardMigration {
  readonly name = 'LimitsByMessage1763900500000';
  readonly summary = 'limits of accounts count messages';
  protected readonly files = ['accept/accept-messages.sql'];
}
