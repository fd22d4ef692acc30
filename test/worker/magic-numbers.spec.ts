import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MAGIC_NUMBERS } from '../../apps/carrier-simulator/magic-numbers.js';
import { scrape } from '../support/metrics.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { type ListedMessage, TestService, UNIT_PRICE } from '../support/service.js';

/** What a client sees in the end, and whether the message stays charged. */
type End = 'delivered' | 'undelivered' | 'failed' | 'unknown';

const ENDS: Readonly<Record<string, End>> = {
  '01': 'failed',
  '02': 'delivered',
  '03': 'delivered',
  '04': 'delivered',
  '05': 'failed', // when its validity is over
  '10': 'delivered',
  '11': 'unknown', // when its validity is over, because it may have been taken
  '12': 'delivered',
  '13': 'delivered',
  '14': 'delivered',
  '15': 'delivered',
  '16': 'delivered',
  '17': 'delivered',
  '20': 'undelivered',
  '21': 'undelivered',
  '22': 'undelivered',
  '23': 'undelivered',
  '24': 'unknown', // when the deadline for receipts is over
  '25': 'undelivered',
  '30': 'delivered',
  '31': 'delivered',
  '32': 'delivered',
  '33': 'unknown',
  '34': 'unknown',
  '35': 'unknown',
  '36': 'delivered',
  '37': 'delivered',
  '38': 'delivered',
  '40': 'delivered',
  '41': 'delivered',
  '42': 'delivered',
  '43': 'delivered',
};
/** Those that would go on for as long as their validity lasts. */
const NEVER_TAKEN = ['05', '11'];
/** These are of two segments: what they do concerns messages of several. */
const LONG = ['25', '37'];
/** These cost the connection, by silence or at once, and with it what others have in flight: they go after the rest. */
const SILENT = ['11', '12', '13'];
const DROPPING = ['14', '15', '16'];

const codes = Object.keys(MAGIC_NUMBERS).sort();
const segmentsOf = (code: string) => (LONG.includes(code) ? 2 : 1);

test('every treatment that the simulator knows has its end here', () => {
  expect(Object.keys(ENDS).sort()).toEqual(codes);
});

describe('a message to a magic number', () => {
  let service: TestService;
  const ids = new Map<string, string>();
  let ended = new Map<string, ListedMessage>();

  beforeAll(async () => {
    service = await TestService.start({ backEnd: CHEAPEST_BACK_END, settings: { SUBMIT_TIMEOUT_MS: '3000' } });
    const isHarmless = (code: string) => !SILENT.includes(code) && !DROPPING.includes(code);
    const isUnknown = (code: string) => ENDS[code] === 'unknown';
    await Promise.all(codes.filter(isHarmless).map(send));
    await untilEnded(codes.filter((code) => isHarmless(code) && !isUnknown(code) && !NEVER_TAKEN.includes(code)));
    await overDeadline(codes.filter(isUnknown));
    await Promise.all(SILENT.map(send));
    await untilEnded(SILENT.filter((code) => !NEVER_TAKEN.includes(code)));
    await overValidity(NEVER_TAKEN);
    await untilEnded(codes.filter((code) => !DROPPING.includes(code)));
    for (const code of DROPPING) {
      await send(code);
      await untilEnded([code]);
    }
    ended = await service.messages();
  });
  afterAll(() => service.close());

  async function send(code: string): Promise<void> {
    const text = segmentsOf(code) === 1 ? `Code ${code}` : 'x'.repeat(200);
    ids.set(code, await service.send(`+44 77 9990 00${code}`, text));
  }

  function untilEnded(some: readonly string[]): Promise<void> {
    return service.untilEnded(new Map(some.map((code) => [ids.get(code) ?? '', ENDS[code] ?? ''])), 60_000);
  }

  /** The carrier was tried in vain for as long as the message was worth it. */
  async function overValidity(some: readonly string[]): Promise<void> {
    await service.simulator.records.until(
      ({ submits }) =>
        some.every((code) => submits.filter(({ destination }) => destination.value.endsWith(code)).length >= 2),
      40_000,
    );
    await service.database.query(
      'update message_order set valid_until = now(), due_at = now() where id = any($1::uuid[])',
      [some.map((code) => ids.get(code))],
    );
  }

  async function overDeadline(some: readonly string[]): Promise<void> {
    await service.database.query(
      "update message_order set sent_at = sent_at - interval '4 days', due_at = now() where id = any($1::uuid[]) and state = 'sent'",
      [some.map((code) => ids.get(code))],
    );
  }

  test.each(codes.map((code) => [code, ENDS[code] ?? 'delivered', MAGIC_NUMBERS[code]?.meaning] as const))(
    '%s ends as %s (%s)',
    (code, end) => {
      const message = ended.get(ids.get(code) ?? '');
      const price = (Number(UNIT_PRICE) / 1_000_000) * segmentsOf(code);
      expect(message).toMatchObject({ status: end, amount: end === 'failed' ? 0 : price });
    },
  );

  test('the account has paid for what the carrier took, and nothing stays reserved', async () => {
    const paid = codes.filter((code) => ENDS[code] !== 'failed').reduce((sum, code) => sum + segmentsOf(code), 0);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: UNIT_PRICE * BigInt(paid) });
  });

  test('the worker counts the states that messages came to, and not those that stayed where they were in doubt', async () => {
    const samples = await scrape(service.runningWorkers[0]?.metricsPort);
    const moves = samples.filter(({ name }) => name === 'heliograph_order_moves_total');
    const states = moves.map(({ labels }) => labels.state);
    expect(states).toContain('sent');
    expect(states).not.toContain('sending');
  });

  test('nothing but an answer that was lost made a message go out twice', () => {
    const twice = [...service.takenByNumber].filter(([number, count]) => count > segmentsOf(number.slice(-2)));
    // With these the connection is lost together with the answer.
    const others = twice.map(([number]) => number.slice(-2)).filter((code) => !DROPPING.includes(code));
    expect(others).toEqual([]);
  });
});
