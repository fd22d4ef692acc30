import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { TEST_VALIDITY_SECONDS_MAX } from '#operations';
import { count } from '../arguments.js';
import { addCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';

const WAIT_SECONDS = 60;
const LOOK_EVERY_MS = 200;

interface TestOptions {
  readonly text?: string;
  readonly account?: string;
  readonly wait: number;
  readonly json?: boolean;
}

type Sent = AnswerOf<'carrier.test'>;
type Message = AnswerOf<'message.show'>;

export function addCarrierTest(carrier: Command, session: Session): void {
  addCommand(carrier, 'test', 'send one message by a carrier alone and follow it, also while the carrier is paused', [
    'carrier test acme +46701234567',
    "carrier test acme +46701234567 --text 'Grüße @ €' --account 1002 --wait 120",
  ])
    .argument('<name>', 'its name')
    .argument('<number>', 'a phone that you hold')
    .option('--text <text>', 'what it says (default: Heliograph carrier test)')
    .option('--account <id>', 'the account that sends and pays (default: an account for tests, which pays nothing)')
    .option(
      '--wait <seconds>',
      'how long to follow it; a message that was not taken by then fails',
      count,
      WAIT_SECONDS,
    )
    .action(async (name: string, recipient: string, options: TestOptions, command: Command) => {
      const { text, account, wait } = options;
      const waitSeconds = Math.min(wait, TEST_VALIDITY_SECONDS_MAX);
      const wanted = { name, recipient, text, accountId: account, validitySeconds: waitSeconds };
      const sent = await session.call('carrier.test', wanted);
      const say = (line: string) => {
        if (options.json !== true) process.stdout.write(`${line}\n`);
      };
      const id = sent.messageId;
      say(`Message ${id} goes to ${recipient} by ${name}${sent.paused ? ', which is paused for all others' : ''}.`);
      const found = await follow(session, id, waitSeconds, say);
      const price = sent.isFree
        ? 'nobody paid for it'
        : `account ${sent.accountId} paid ${found.amount} ${sent.currency}`;
      const { isTaken, words } = await outcome(session, name, found, wait);
      session.print(command, {
        json: { taken: isTaken, ...testJson(found, sent) },
        text: `${words} (${price}). More: smsctl message show ${id}`,
        isFailure: !isTaken,
      });
    });
}

function testJson(found: Message, { accountId, currency }: Sent): Record<string, unknown> {
  const { id, state, carrier, carrierCode, recipient, amount, createdAt, transitions, segments } = found;
  return {
    messageId: id,
    state,
    carrier,
    carrierCode,
    recipient,
    accountId,
    amount,
    currency,
    createdAt,
    transitions,
    segments,
  };
}

/** Prints each change of state and each answer once, until the message is final or the time is over. */
async function follow(
  session: Session,
  id: string,
  waitSeconds: number,
  say: (line: string) => void,
): Promise<Message> {
  const told = new Set<string>();
  const deadlineMs = Date.now() + waitSeconds * 1_000;
  for (;;) {
    const found = await session.call('message.show', { id });
    for (const { at, words } of events(found)) {
      if (told.has(words)) continue;
      told.add(words);
      say(`${at.slice(11, 23)}Z  ${words}`);
    }
    if (found.finalAt !== undefined || Date.now() >= deadlineMs) return found;
    await delay(LOOK_EVERY_MS);
  }
}

function events({ createdAt, transitions, segments }: Message): { readonly at: string; readonly words: string }[] {
  const code = (text: string | undefined) => (text === undefined || text === '' ? '' : ` (${text})`);
  const part = (position: number) => (segments.length === 1 ? '' : `segment ${position}: `);
  return [
    { at: createdAt, words: 'queued' },
    // What the carrier says is the reason of a transition of the same moment, so it stands before it.
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
    ...transitions.map(({ at, to, actor, carrierCode }) => ({ at, words: `${to} by ${actor}${code(carrierCode)}` })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

async function outcome(
  session: Session,
  name: string,
  { state, carrierCode, segments }: Message,
  waitSeconds: number,
): Promise<{ readonly isTaken: boolean; readonly words: string }> {
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
      return { isTaken: false, words: await whyNotTaken(session, name, waitSeconds, '') };
    case 'unknown':
      return { isTaken: false, words: `Nobody knows whether ${name} took it${code}` };
    default: {
      if (segments.some(({ state: each }) => each === 'in_doubt' || each === 'submitting')) {
        return { isTaken: false, words: `${name} did not answer within ${waitSeconds} s` };
      }
      return { isTaken: false, words: await whyNotTaken(session, name, waitSeconds, code) };
    }
  }
}

async function whyNotTaken(session: Session, name: string, waitSeconds: number, code: string): Promise<string> {
  const { state, lastError } = await session.call('carrier.show', { name });
  const reason = lastError === null ? '' : `: ${lastError.reason}`;
  const isUp = state === 'bound' || state === 'throttled' || state === 'paused';
  const why = isUp ? code : `, it is ${state}${reason}`;
  return `${name} has not taken it within ${waitSeconds} s${why}; it is withdrawn`;
}
