import type { Command } from 'commander';
import { formatMicros, type Micros } from '#billing';
import {
  adjustBalance,
  type BookedDeposit,
  type Booking,
  bookDeposit,
  type Database,
  listDeposits,
  UnusualAdjustment,
} from '#persistence';
import { amount, count, currency, signedAmount } from '../arguments.js';
import { addCommand, defineCommand } from '../command.js';
import { confirm } from '../confirm.js';
import type { Answer, Session } from '../session.js';
import { moment, table } from '../text.js';

const LISTED_MAX = 100;

export function defineDeposit(deposit: Command, session: Session): void {
  deposit.enablePositionalOptions();
  addList(deposit, session);
  defineCommand(deposit, ['deposit 1001 100 EUR --ref invoice-17', 'deposit 1001 250.50 USD --ref invoice-18'])
    .argument('<account>', 'its id')
    .argument('<amount>', 'above 0, at most 6 decimals', amount)
    .argument('<currency>', "another currency than the account's is converted at the rate of `fx set`", currency)
    .option('--ref <reference>', 'what it is known by; the same reference is never booked twice')
    .action((id: string, micros: Micros, code: string, options: { ref?: string }, command: Command) =>
      session.answer(command, async (database) => {
        const booking = await bookDeposit(database, id, {
          amount: micros,
          currency: code,
          ...(options.ref !== undefined && { reference: options.ref }),
        });
        return bookingAnswer(id, booking);
      }),
    );
}

export function defineAdjust(adjust: Command, session: Session): void {
  defineCommand(adjust, [
    'adjust 1001 5 --reason "goodwill for the outage"',
    'adjust 1001 -2.50 --reason "booked twice by mistake"',
  ])
    .argument('<account>', 'its id')
    .argument('<amount>', "in the account's currency, at most 6 decimals", signedAmount)
    .requiredOption('--reason <text>', 'why; kept in the journal')
    .option('--yes', 'do not ask, also where the balance falls below 0 or the amount is more than all deposits so far')
    .action((id: string, micros: Micros, options: { reason: string; yes?: boolean }, command: Command) =>
      session.answer(command, async (database) =>
        bookingAnswer(id, await adjustAsMeant(database, id, micros, options)),
      ),
    );
}

async function adjustAsMeant(
  database: Database,
  id: string,
  micros: Micros,
  { reason, yes = false }: { reason: string; yes?: boolean },
): Promise<Booking> {
  try {
    return await adjustBalance(database, id, { amount: micros, reason, isMeant: yes });
  } catch (error) {
    if (!(error instanceof UnusualAdjustment)) throw error;
    await confirm(error.message);
    return adjustBalance(database, id, { amount: micros, reason, isMeant: true });
  }
}

function addList(deposit: Command, session: Session): void {
  addCommand(deposit, 'list', 'list the deposits and adjustments of an account, newest first', [
    'deposit list 1001',
    'deposit list 1001 --limit 1000 --json',
  ])
    .argument('<account>', 'its id')
    .option('--limit <n>', 'how many at most', count, LISTED_MAX)
    .action((id: string, { limit }: { limit: number }, command: Command) =>
      session.answer(command, async (database) => {
        const { currency: own, deposits } = await listDeposits(database, id, limit);
        return {
          json: deposits.map((one) => depositJson(id, one, own)),
          text: table(
            ['>number', 'kind', '>amount', 'currency', '>rate', `>in ${own}`, 'reference or reason', 'booked'],
            deposits.map((one) => [
              String(one.depositNumber),
              one.kind,
              formatMicros(one.amount),
              one.currency,
              one.fxRate,
              formatMicros(one.accountAmount),
              one.reference ?? one.reason,
              moment(one.createdAt),
            ]),
            'No deposits.',
          ),
        };
      }),
    );
}

function depositJson(accountId: string, deposit: BookedDeposit, accountCurrency: string): Record<string, unknown> {
  return {
    accountId,
    number: Number(deposit.depositNumber),
    kind: deposit.kind,
    reference: deposit.reference ?? null,
    reason: deposit.reason ?? null,
    amount: formatMicros(deposit.amount),
    currency: deposit.currency,
    fxRate: deposit.fxRate,
    accountAmount: formatMicros(deposit.accountAmount),
    accountCurrency,
    createdAt: deposit.createdAt,
  };
}

function bookingAnswer(accountId: string, { deposit, accountCurrency, available, repeated }: Booking): Answer {
  const booked = `${formatMicros(deposit.accountAmount)} ${accountCurrency}`;
  const converted =
    deposit.currency === accountCurrency
      ? ''
      : ` (${formatMicros(deposit.amount)} ${deposit.currency} at ${deposit.fxRate})`;
  const what = `${deposit.kind} ${deposit.depositNumber} of account ${accountId}: ${booked}${converted}`;
  return {
    json: { ...depositJson(accountId, deposit, accountCurrency), creditRemaining: formatMicros(available), repeated },
    text: `${repeated ? 'Was booked before' : 'Booked'}: ${what}. Balance: ${formatMicros(available)} ${accountCurrency}.`,
  };
}
