import type { Command } from 'commander';
import { amount, count, currency, signedAmount } from '../arguments.js';
import { addCommand, defineCommand } from '../command.js';
import { confirm } from '../confirm.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

const LISTED_MAX = 100;

export function defineDeposit(deposit: Command, session: Session): void {
  deposit.enablePositionalOptions();
  addList(deposit, session);
  nameNegativeAmounts(deposit);
  defineCommand(deposit, ['deposit 1001 100 EUR --ref invoice-17', 'deposit 1001 250.50 USD --ref invoice-18'])
    .argument('<account>', 'its id')
    .argument('<amount>', 'above 0, at most 6 decimals', amount)
    .argument('<currency>', "another currency than the account's is converted at the rate of `fx set`", currency)
    .option('--ref <reference>', 'such as an invoice; the client can read it; the same one is never booked twice')
    .action((accountId: string, sum: string, code: string, options: { ref?: string }, command: Command) => {
      const wanted = { accountId, amount: sum, currency: code, reference: options.ref };
      return session.show(command, 'deposit', wanted, bookingText);
    });
}

/** Commander takes `-5` for an option of a command that has subcommands, and for an argument of any other one. */
function nameNegativeAmounts(deposit: Command): void {
  const { outputError } = deposit.configureOutput();
  deposit.configureOutput({
    outputError: (text, write) =>
      outputError?.(
        text.replace(
          /unknown option '(-[\d.,]+)'.*/s,
          "command-argument value '$1' is invalid for argument 'amount'. It must be above 0.",
        ),
        write,
      ),
  });
}

export function defineAdjust(adjust: Command, session: Session): void {
  defineCommand(adjust, [
    'adjust 1001 5 --reason "goodwill for the outage"',
    'adjust 1001 -2.50 --reason "booked twice by mistake"',
  ])
    .argument('<account>', 'its id')
    .argument('<amount>', "in the account's currency, at most 6 decimals", signedAmount)
    .requiredOption('--reason <text>', 'why; the client can read it')
    .option('--yes', 'do not ask, also where the balance falls below 0 or the amount is more than all deposits so far')
    .action(
      async (accountId: string, sum: string, { reason, yes }: { reason: string; yes?: boolean }, command: Command) => {
        const booking = await adjustAsMeant(session, { accountId, amount: sum, reason, isMeant: yes });
        session.print(command, { json: booking, text: bookingText(booking) });
      },
    );
}

async function adjustAsMeant(
  session: Session,
  wanted: { accountId: string; amount: string; reason: string; isMeant: boolean | undefined },
): Promise<AnswerOf<'adjust'>> {
  try {
    return await session.call('adjust', wanted);
  } catch (error) {
    const { OperatorError } = await import('#persistence');
    if (!(error instanceof OperatorError) || error.kind !== 'unusual') throw error;
    await confirm(error.message);
    return session.call('adjust', { ...wanted, isMeant: true });
  }
}

function addList(deposit: Command, session: Session): void {
  addCommand(deposit, 'list', 'list the deposits and adjustments of an account, newest first', [
    'deposit list 1001',
    'deposit list 1001 --limit 1000 --json',
  ])
    .argument('<account>', 'its id')
    .option('--limit <n>', 'how many at most', count, LISTED_MAX)
    .action(async (accountId: string, { limit }: { limit: number }, command: Command) => {
      const deposits = await session.items('deposit.list', { accountId }, limit);
      session.print(command, { json: deposits, text: depositTable(deposits) });
    });
}

function depositTable(deposits: AnswerOf<'deposit.list'>['data']): string {
  const [first] = deposits;
  return table(
    [
      '>number',
      'kind',
      '>amount',
      'currency',
      '>rate',
      `>in ${first?.accountCurrency}`,
      'reference or reason',
      'booked',
    ],
    deposits.map((one) => [
      one.number,
      one.kind,
      one.amount,
      one.currency,
      one.fxRate,
      one.accountAmount,
      one.reference ?? one.reason,
      moment(one.createdAt),
    ]),
    'No deposits.',
  );
}

function bookingText(booking: AnswerOf<'deposit'>): string {
  const { accountId, accountName, kind, number, amount: paid, currency: code, fxRate } = booking;
  const { accountAmount, accountCurrency } = booking;
  const converted = code === accountCurrency ? '' : ` (${paid} ${code} at ${fxRate})`;
  const account = `account ${accountId} (${accountName})`;
  const what = `${kind} ${number} of ${account}: ${accountAmount} ${accountCurrency}${converted}`;
  const balance = `Balance: ${booking.creditRemaining} ${accountCurrency}`;
  return `${booking.repeated ? 'Was booked before' : 'Booked'}: ${what}. ${balance}.`;
}
