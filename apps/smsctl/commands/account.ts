import type { Command } from 'commander';
import { SENDER_WORDS } from '#config/light';
import { counted } from '#operations';
import { accountFacts, accountTable } from '../account-views.js';
import { amountOrOff, amountOrZero, count, countOrOff, currency, listOrOff } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import { confirm } from '../confirm.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { addStatement } from './account-statement.js';
import { addUsage } from './account-usage.js';

interface CreateOptions {
  name: string;
  currency: string;
  creditLimit?: string;
  tariff?: string;
  rateLimit?: number;
  sender?: string;
}

interface SuspendOptions {
  holdQueued?: boolean;
  refundQueued?: boolean;
}

interface SetOptions {
  name?: string;
  tariff?: string;
  sender?: string;
  allowSenders?: string[] | 'off';
  maxInFlight?: number | 'off';
  balanceAlert?: string;
}

export function addAccountCommands(account: Command, session: Session): void {
  addCreate(account, session);

  addCommand(account, 'list', 'list accounts', ['account list', 'account list --low --json'])
    .option('--low', 'only active ones whose balance is below their balance alert')
    .action(async ({ low }: { readonly low?: true }, command: Command) => {
      const accounts = await session.items('account.list', { low });
      session.print(command, { json: accounts, text: accountTable(accounts) });
    });

  addCommand(account, 'show', 'show an account and its money', ['account show 1001'])
    .argument('<account>', 'its id')
    .action((accountId: string, _options, command: Command) =>
      session.show(command, 'account.show', { accountId }, accountFacts),
    );

  addStatement(account, session);
  addUsage(account, session);
  addSuspension(account, session);
  addClose(account, session);

  addCommand(account, 'set-credit-limit', 'set how far the balance of an account may go below 0', [
    'account set-credit-limit 1001 50',
    'account set-credit-limit 1001 0',
  ])
    .argument('<account>', 'its id')
    .argument('<amount>', 'in its currency, 0 or above', amountOrZero)
    .action((accountId: string, creditLimit: string, _options, command: Command) =>
      session.show(command, 'account.set-credit-limit', { accountId, creditLimit }, accountFacts),
    );

  addCommand(account, 'set-rate-limit', 'limit the messages of an account', [
    'account set-rate-limit 1001 50',
    'account set-rate-limit 1001 off',
  ])
    .argument('<account>', 'its id')
    .argument('<n>', 'messages a second, or off', countOrOff)
    .action((accountId: string, limit: number | 'off', _options, command: Command) => {
      const rateLimitPerSecond = limit === 'off' ? null : limit;
      return session.show(command, 'account.set-rate-limit', { accountId, rateLimitPerSecond }, accountFacts);
    });

  addCommand(
    account,
    'set',
    'change the name, tariff, senders, balance alert or limit of messages in flight of an account',
    [
      'account set 1001 --tariff acme-2027',
      'account set 1001 --name "Acme Ltd" --sender Acme',
      'account set 1001 --sender off --max-in-flight 20',
      'account set 1001 --allow-senders "Acme,Acme Shop,+46700100200"',
    ],
  )
    .argument('<account>', 'its id')
    .option('--name <name>', 'its name; no other account has the same')
    .option('--tariff <name>', 'its price list from now on, in its currency')
    .option('--sender <name>', `${SENDER_WORDS}; off for the carrier's own`)
    .option('--allow-senders <list>', 'senders that its messages may ask for, with commas; off for none', listOrOff)
    .option('--max-in-flight <n>', 'messages in flight at a time; off for the setting', countOrOff)
    .option(
      '--balance-alert <amount>',
      'a balance below this is low: the webhooks of the account are told, and account list --low lists it; off for none',
      amountOrOff,
    )
    .action(async (accountId: string, options: SetOptions, command: Command) => {
      const { name, tariff, sender, allowSenders, maxInFlight, balanceAlert } = options;
      if ([name, tariff, sender, allowSenders, maxInFlight, balanceAlert].every((given) => given === undefined)) {
        wrongUsage(
          command,
          'nothing to change: give --name, --tariff, --sender, --allow-senders, --max-in-flight, --balance-alert',
        );
      }
      const change = {
        name,
        tariff,
        sender: offIsNull(sender),
        allowedSenders: allowSenders === 'off' ? [] : allowSenders,
        maxInFlight: offIsNull(maxInFlight),
        balanceAlert: offIsNull(balanceAlert),
      };
      await session.show(command, 'account.set', { accountId, ...change }, accountFacts);
    });
}

function offIsNull<Value>(given: Value | 'off' | undefined): Value | null | undefined {
  return given === 'off' ? null : given;
}

function addSuspension(account: Command, session: Session): void {
  addCommand(account, 'suspend', 'refuse all requests of an account, and choose what happens to its queued messages', [
    'account suspend 1001 --hold-queued',
    'account suspend 1001 --refund-queued',
  ])
    .argument('<account>', 'its id')
    .option('--hold-queued', 'keep the queued messages until the account is resumed, within their validity')
    .option('--refund-queued', 'cancel the queued messages: they fail and cost nothing')
    .action(async (accountId: string, options: SuspendOptions, command: Command) => {
      const { holdQueued = false, refundQueued = false } = options;
      if (holdQueued && refundQueued) {
        wrongUsage(command, '--hold-queued keeps the messages that --refund-queued would cancel: give one of them');
      }
      const queued = holdQueued ? 'hold' : refundQueued ? 'refund' : 'send';
      await session.show(command, 'account.suspend', { accountId, queued }, suspensionText);
    });

  addCommand(account, 'resume', 'let a suspended account send again, and send its held messages', [
    'account resume 1001',
  ])
    .argument('<account>', 'its id')
    .action((accountId: string, _options, command: Command) =>
      session.show(command, 'account.resume', { accountId }, (resumed) => {
        const { released } = resumed;
        const held =
          released === 0 ? '' : `\n\n${counted(released, 'message was', 'messages were')} held, and may be sent now.`;
        return `${accountFacts(resumed)}${held}`;
      }),
    );
}

function suspensionText({ accountId, queued, sending, holdsQueued, refunded }: AnswerOf<'account.suspend'>): string {
  const lines = [`Account ${accountId} is suspended: its requests are refused.`];
  if (refunded > 0)
    lines.push(`${counted(refunded, 'queued message was', 'queued messages were')} canceled and refunded.`);
  if (queued > 0 && holdsQueued) {
    lines.push(
      `${counted(queued, 'queued message is', 'queued messages are')} held until \`smsctl account resume ${accountId}\`.`,
    );
  } else if (queued > 0) {
    lines.push(
      `${counted(queued, 'message is', 'messages are')} queued and will still be sent. To keep them back: ` +
        `smsctl account suspend ${accountId} --hold-queued; to cancel them: --refund-queued.`,
    );
  }
  if (sending > 0) lines.push(`${counted(sending, 'message is', 'messages are')} being sent, which cannot be stopped.`);
  return lines.join('\n');
}

function addClose(account: Command, session: Session): void {
  addCommand(account, 'close', 'close an account for good: its keys are refused, its messages and its journal stay', [
    'account close 1001',
    'account close 1001 --yes',
  ])
    .argument('<account>', 'its id')
    .option('--yes', 'do not ask')
    .action(async (accountId: string, options: { yes?: boolean }, command: Command) => {
      const before = await session.call('account.show', { accountId });
      if (options.yes !== true && before.status !== 'closed') {
        const balance = `${before.creditRemaining} ${before.currency}`;
        await confirm(
          `account ${accountId} (${before.name}) has a balance of ${balance}, and a closed account is never opened again`,
        );
      }
      await session.show(
        command,
        'account.close',
        { accountId },
        ({ name, creditRemaining, currency: own }) =>
          `Account ${accountId} (${name}) is closed. Its balance was ${creditRemaining} ${own}.`,
      );
    });
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
    .action(({ rateLimit, ...options }: CreateOptions, command: Command) => {
      const { name, currency: code, creditLimit, tariff, sender } = options;
      const wanted = { name, currency: code, creditLimit, tariff, rateLimitPerSecond: rateLimit, sender };
      return session.show(
        command,
        'account.create',
        wanted,
        (created) => `${accountFacts(created)}\n\nAPI key (shown only now): ${created.apiKey}`,
      );
    });
}
