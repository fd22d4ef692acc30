import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { buildTariff, formatMicros, isViolation, quoteMessage } from '#billing';
import {
  type AcceptVerdict,
  carrierState,
  carrierTestAccount,
  type Database,
  findAccount,
  findCarrier,
  findMessage,
  findTariff,
  liveProcesses,
  type MessageRecord,
  OperatorError,
  requestCarrierTest,
  type StoredCarrier,
  tariffRates,
} from '#persistence';
import { count } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';

const WAIT_SECONDS = 60;
const WAIT_SECONDS_MAX = 3_600;
const LOOK_EVERY_MS = 200;
const TEXT = 'Heliograph carrier test';

interface TestOptions {
  readonly text: string;
  readonly account?: string;
  readonly wait: number;
  readonly json?: boolean;
}

/** The account that sends the test, and its price list. */
interface Sender {
  readonly accountId: string;
  readonly tariffId: string;
  readonly currency: string;
  readonly isInternal: boolean;
}

export function addCarrierTest(carrier: Command, session: Session): void {
  addCommand(carrier, 'test', 'send one message by a carrier alone and follow it, also while the carrier is paused', [
    'carrier test acme +46701234567',
    "carrier test acme +46701234567 --text 'Grüße @ €' --account 1002 --wait 120",
  ])
    .argument('<name>', 'its name')
    .argument('<number>', 'a phone that you hold')
    .option('--text <text>', 'what it says', TEXT)
    .option('--account <id>', 'the account that sends and pays (default: an account for tests, which pays nothing)')
    .option(
      '--wait <seconds>',
      'how long to follow it; a message that was not taken by then fails',
      count,
      WAIT_SECONDS,
    )
    .action((name: string, number: string, options: TestOptions, command: Command) =>
      session.answer(command, async (database) => {
        const stored = await findCarrier(database, name);
        const sender = await senderOf(database, options.account);
        const id = await request(database, stored, sender, number, options);
        const say = (line: string) => {
          if (options.json !== true) process.stdout.write(`${line}\n`);
        };
        say(`Message ${id} goes to ${number} by ${name}${stored.paused ? ', which is paused for all others' : ''}.`);
        const found = await follow(database, id, Math.min(options.wait, WAIT_SECONDS_MAX), say);
        const price = sender.isInternal
          ? 'nobody paid for it'
          : `account ${sender.accountId} paid ${formatMicros(found.amount)} ${sender.currency}`;
        const { isTaken, words } = await outcome(database, stored, found, options.wait);
        return {
          json: { taken: isTaken, ...testJson(found, sender) },
          text: `${words} (${price}). More: smsctl message show ${id}`,
          isFailure: !isTaken,
        };
      }),
    );
}

async function senderOf(database: Database, accountId: string | undefined): Promise<Sender> {
  if (accountId === undefined) return { ...(await carrierTestAccount(database)), currency: 'EUR', isInternal: true };
  const { tariff, currency } = await findAccount(database, accountId);
  const { tariffId } = await findTariff(database, tariff);
  return { accountId, tariffId, currency, isInternal: false };
}

/** @throws OperatorError when no worker could submit the message, it breaks a rule, or its account may not send it */
async function request(
  database: Database,
  carrier: StoredCarrier,
  { accountId, tariffId }: Sender,
  recipient: string,
  { text, wait }: TestOptions,
): Promise<string> {
  if ((await liveProcesses(database, 'worker')).length === 0) {
    throw new OperatorError('no worker is alive that could submit the message: start one');
  }
  const quote = quoteMessage({ recipient, message: text }, buildTariff(await tariffRates(database, tariffId)));
  if (isViolation(quote)) throw new OperatorError(quote.detail);
  const { destination, encoding, segments, price } = quote;
  const { v7: uuidV7 } = await import('uuid');
  const id = uuidV7();
  const verdict = await requestCarrierTest(database, {
    carrierId: carrier.carrierId,
    accountId,
    message: { id, recipient, destination, message: text, extended: encoding === 'extended', segments, price },
    validitySeconds: Math.min(wait, WAIT_SECONDS_MAX),
  });
  if (verdict.kind !== 'accepted') throw new OperatorError(`account ${accountId} ${refusal(verdict)}`);
  return id;
}

function testJson(found: MessageRecord, { accountId, currency }: Sender): Record<string, unknown> {
  const { id, state, carrier, carrierCode, recipient, amount, createdAt, transitions, segments } = found;
  return {
    messageId: id,
    state,
    carrier,
    carrierCode,
    recipient,
    accountId,
    amount: formatMicros(amount),
    currency,
    createdAt,
    transitions,
    segments,
  };
}

function refusal(verdict: AcceptVerdict): string {
  switch (verdict.kind) {
    case 'insufficient_balance':
      return `has ${formatMicros(verdict.balance)} left, which is not enough`;
    case 'rate_limited':
      return 'has reached its rate limit';
    default:
      return 'is suspended';
  }
}

/** Prints each change of state and each answer once, until the message is final or the time is over. */
async function follow(
  database: Database,
  id: string,
  waitSeconds: number,
  say: (line: string) => void,
): Promise<MessageRecord> {
  const told = new Set<string>();
  const deadlineMs = Date.now() + waitSeconds * 1_000;
  for (;;) {
    const found = await findMessage(database, id);
    for (const { at, words } of events(found)) {
      if (told.has(words)) continue;
      told.add(words);
      say(`${at.toISOString().slice(11, 23)}Z  ${words}`);
    }
    if (found.finalAt !== undefined || Date.now() >= deadlineMs) return found;
    await delay(LOOK_EVERY_MS);
  }
}

function events({ createdAt, transitions, segments }: MessageRecord): { readonly at: Date; readonly words: string }[] {
  const code = (text: string | undefined) => (text === undefined || text === '' ? '' : ` (${text})`);
  const part = (position: number) => (segments.length === 1 ? '' : `segment ${position}: `);
  return [
    { at: createdAt, words: 'queued' },
    ...transitions.map(({ at, to, actor, carrierCode }) => ({ at, words: `${to} by ${actor}${code(carrierCode)}` })),
    ...segments.flatMap(({ position, acceptedAt, carrierMessageId }) =>
      acceptedAt === undefined
        ? []
        : [{ at: acceptedAt, words: `${part(position)}taken by the carrier as ${carrierMessageId ?? 'no id'}` }],
    ),
    ...segments.flatMap(({ position, settledAt, state, carrierCode }) =>
      settledAt === undefined
        ? []
        : [{ at: settledAt, words: `${part(position)}receipt: ${state}${code(carrierCode)}` }],
    ),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
}

async function outcome(
  database: Database,
  carrier: StoredCarrier,
  { state, carrierCode, segments }: MessageRecord,
  waitSeconds: number,
): Promise<{ readonly isTaken: boolean; readonly words: string }> {
  const { name } = carrier;
  const code = carrierCode === undefined || carrierCode === '' ? '' : ` (${carrierCode})`;
  switch (state) {
    case 'delivered':
      return { isTaken: true, words: `${name} took it and says that it is delivered` };
    case 'undelivered':
      return { isTaken: true, words: `${name} took it and says that it could not be delivered${code}` };
    case 'sent':
      return { isTaken: true, words: `${name} took it; no receipt came within ${waitSeconds} s` };
    case 'failed':
      if (carrierCode !== 'VALIDITY_OVER') return { isTaken: false, words: `${name} did not take it${code}` };
      return { isTaken: false, words: await whyNotTaken(database, carrier, waitSeconds, '') };
    case 'unknown':
      return { isTaken: false, words: `Nobody knows whether ${name} took it${code}` };
    default: {
      if (segments.some(({ state: each }) => each === 'in_doubt' || each === 'submitting')) {
        return { isTaken: false, words: `${name} did not answer within ${waitSeconds} s` };
      }
      return { isTaken: false, words: await whyNotTaken(database, carrier, waitSeconds, code) };
    }
  }
}

async function whyNotTaken(
  database: Database,
  carrier: StoredCarrier,
  waitSeconds: number,
  code: string,
): Promise<string> {
  const { state: stands, lastError } = carrierState(carrier, await liveProcesses(database, 'worker'));
  const reason = lastError === undefined ? '' : `: ${lastError.reason}`;
  const isUp = stands === 'bound' || stands === 'throttled' || stands === 'paused';
  const why = isUp ? code : `, it is ${stands}${reason}`;
  return `${carrier.name} has not taken it within ${waitSeconds} s${why}; it is withdrawn`;
}
