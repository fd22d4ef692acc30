import type { Command } from 'commander';
import type { Micros } from '#billing';
import {
  type AccountOverview,
  createAccount,
  type Database,
  findAccount,
  listAccounts,
  OperatorError,
  setAccountStatus,
  setCreditLimit,
  setMaxInFlight,
  setRateLimit,
  setSender,
} from '#persistence';
import { accountAnswer, accountFacts, accountJson, accountsAnswer } from '../account-views.js';
import { amountOrZero, count, countOrOff, currency } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';

interface CreateOptions {
  name: string;
  currency: string;
  creditLimit?: Micros;
  tariff?: string;
  rateLimit?: number;
  sender?: string;
}

interface SetOptions {
  sender?: string;
  maxInFlight?: number | 'off';
}

export function addAccountCommands(account: Command, session: Session): void {
  addCreate(account, session);

  addCommand(account, 'list', 'list all accounts', ['account list', 'account list --json']).action(
    (_options, command: Command) =>
      session.answer(command, async (database) => accountsAnswer(await listAccounts(database))),
  );

  addCommand(account, 'show', 'show an account and its money', ['account show 1001'])
    .argument('<account>', 'its id')
    .action((id: string, _options, command: Command) =>
      session.answer(command, async (database) => accountAnswer(await findAccount(database, id))),
    );

  addCommand(account, 'suspend', 'refuse all requests of an account', ['account suspend 1001'])
    .argument('<account>', 'its id')
    .action((id: string, _options, command: Command) =>
      session.answer(command, async (database) => accountAnswer(await setAccountStatus(database, id, 'suspended'))),
    );

  addCommand(account, 'resume', 'let a suspended account send again', ['account resume 1001'])
    .argument('<account>', 'its id')
    .action((id: string, _options, command: Command) =>
      session.answer(command, async (database) => accountAnswer(await setAccountStatus(database, id, 'active'))),
    );

  addCommand(account, 'set-credit-limit', 'set how far the balance of an account may go below 0', [
    'account set-credit-limit 1001 50',
    'account set-credit-limit 1001 0',
  ])
    .argument('<account>', 'its id')
    .argument('<amount>', 'in its currency, 0 or above', amountOrZero)
    .action((id: string, amount: Micros, _options, command: Command) =>
      session.answer(command, async (database) => accountAnswer(await setCreditLimit(database, id, amount))),
    );

  addCommand(account, 'set-rate-limit', 'limit the messages of an account', [
    'account set-rate-limit 1001 50',
    'account set-rate-limit 1001 off',
  ])
    .argument('<account>', 'its id')
    .argument('<n>', 'messages a second, or off', countOrOff)
    .action((id: string, limit: number | 'off', _options, command: Command) =>
      session.answer(command, async (database) =>
        accountAnswer(await setRateLimit(database, id, limit === 'off' ? undefined : limit)),
      ),
    );

  addCommand(account, 'set', 'change the sender of an account, or how many messages it may have in flight', [
    'account set 1001 --sender Acme',
    'account set 1001 --sender off --max-in-flight 20',
  ])
    .argument('<account>', 'its id')
    .option('--sender <name>', "up to 11 letters and digits, or a number; off for the carrier's own")
    .option('--max-in-flight <n>', 'messages at carriers and unanswered at a time; off for the setting', countOrOff)
    .action((id: string, options: SetOptions, command: Command) =>
      session.answer(command, async (database) => accountAnswer(await change(database, id, options))),
    );
}

async function change(database: Database, id: string, { sender, maxInFlight }: SetOptions): Promise<AccountOverview> {
  if (sender === undefined && maxInFlight === undefined) {
    throw new OperatorError('say what to change: --sender, --max-in-flight');
  }
  if (sender !== undefined) await setSender(database, id, sender === 'off' ? undefined : sender);
  if (maxInFlight !== undefined) await setMaxInFlight(database, id, maxInFlight === 'off' ? undefined : maxInFlight);
  return findAccount(database, id);
}

function addCreate(account: Command, session: Session): void {
  addCommand(account, 'create', 'open an account and make its first API key', [
    'account create --name Acme --currency EUR',
    'account create --name Acme --currency EUR --credit-limit 50 --tariff acme-2026 --json',
  ])
    .requiredOption('--name <name>', 'who it is for')
    .requiredOption('--currency <code>', 'the currency of its balance and prices', currency)
    .option('--credit-limit <amount>', 'how far the balance may go below 0 (default: 0)', amountOrZero)
    .option('--tariff <name>', "its price list (default: its currency's default tariff)")
    .option('--rate-limit <n>', 'messages a second (default: no limit)', count)
    .option('--sender <name>', "what handsets show (default: the carrier's)")
    .action((options: CreateOptions, command: Command) =>
      session.answer(command, async (database) => {
        const { name, currency, creditLimit = 0n, tariff, rateLimit, sender } = options;
        const created = await createAccount(database, {
          name,
          currency,
          creditLimit,
          ...(tariff !== undefined && { tariff }),
          ...(rateLimit !== undefined && { rateLimitPerSecond: rateLimit }),
          ...(sender !== undefined && { sender }),
        });
        return {
          json: { ...accountJson(created.account), keyId: created.keyId, apiKey: created.apiKey },
          text: `${accountFacts(created.account)}\n\nAPI key (shown only now): ${created.apiKey}`,
        };
      }),
    );
}
