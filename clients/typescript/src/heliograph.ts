import { Account, Deposits, Ledger } from './account.js';
import { Keys } from './keys.js';
import { Messages } from './messages.js';
import type { HeliographOptions } from './options.js';
import { Transport } from './transport.js';
import { Webhooks } from './webhooks.js';

/** A client of one account of a Heliograph service. */
export class Heliograph {
  readonly messages: Messages;
  readonly account: Account;
  readonly deposits: Deposits;
  readonly ledger: Ledger;
  readonly keys: Keys;
  readonly webhooks: Webhooks;

  /** @throws HeliographError or TypeError if an option cannot be right; nothing is sent yet */
  constructor(options: HeliographOptions) {
    const transport = new Transport(options);
    this.messages = new Messages(transport);
    this.account = new Account(transport);
    this.deposits = new Deposits(transport);
    this.ledger = new Ledger(transport);
    this.keys = new Keys(transport);
    this.webhooks = new Webhooks(transport);
  }
}
