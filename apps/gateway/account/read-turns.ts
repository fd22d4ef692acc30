import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '#config';
import { AccountTurns } from '../http/account-turns.js';
import { CONFIG } from '../injected.js';

/**
 * Turns of accounts at reads that may take long. With the exports, which take half of the connections to the database
 * at most, they leave one to sends; and an account with a hundred reads delays another one by those under way.
 */
@Injectable()
export class ReadTurns extends AccountTurns {
  constructor(@Inject(CONFIG) { DATABASE_POOL_SIZE }: Config) {
    super(Math.max(1, (DATABASE_POOL_SIZE >> 1) - 1));
  }
}
