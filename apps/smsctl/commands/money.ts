import type { Command } from 'commander';
import { formatMicros, type Micros } from '#billing';
import { adjustBalance, type Booking, bookDeposit } from '#persistence';
import { amount, currency, signedAmount } from '../arguments.js';
import { defineCommand } from '../command.js';
import type { Answer, Session } from '../session.js';

export function defineDeposit(deposit: Command, session: Session): void {
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
    .action((id: string, micros: Micros, options: { reason: string }, command: Command) =>
      session.answer(command, async (database) =>
        bookingAnswer(id, await adjustBalance(database, id, { amount: micros, reason: options.reason })),
      ),
    );
}

function bookingAnswer(accountId: string, { deposit, accountCurrency, available, repeated }: Booking): Answer {
  const booked = `${formatMicros(deposit.accountAmount)} ${accountCurrency}`;
  const converted =
    deposit.currency === accountCurrency
      ? ''
      : ` (${formatMicros(deposit.amount)} ${deposit.currency} at ${deposit.fxRate})`;
  const what = `${deposit.kind} ${deposit.depositNumber} of account ${accountId}: ${booked}${converted}`;
  return {
    json: {
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
      creditRemaining: formatMicros(available),
      repeated,
      createdAt: deposit.createdAt,
    },
    text: `${repeated ? 'Was booked before' : 'Booked'}: ${what}. Balance: ${formatMicros(available)} ${accountCurrency}.`,
  };
}
