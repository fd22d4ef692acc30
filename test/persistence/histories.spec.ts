import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rematchReceipts, type SubmitResult, segmentReference } from '#persistence';
import { recordIntents } from '../support/dispatch-steps.js';
import { fuzz } from '../support/fuzz.js';
import { answer, batchOf, carrierId, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

/**
 * What may happen to the orders of an account, in any order: workers that claim, submit, hear and do not hear, die;
 * receipts early, late, twice and contradicting; time that passes; sweeps. The model is a carrier that remembers what
 * it took.
 */
let ledger: TestLedger;
let holding: number;
beforeAll(async () => {
  ledger = await TestLedger.create();
  holding = await ledger.carrier({ inDoubtPolicy: 'hold' });
});
afterAll(() => ledger.close());

interface Owned {
  readonly id: string;
  readonly destination: string;
  readonly segments: number;
  readonly carrierId: number;
  readonly epoch: number;
  readonly open: readonly number[];
  next: number;
}

const FINAL = ['delivered', 'undelivered', 'failed', 'unknown'];
/** Of a good worker and the reconciler: no history needs so many to end. */
const ROUNDS_MAX = 12;
const KINDS = ['accepted', 'refused', 'pending', 'in_doubt', 'unheard'] as const;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), which: fc.nat(9), holds: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      which: fc.nat(9),
      // Mostly what happens mostly, so that histories get far.
      kind: fc.oneof({ weight: 5, arbitrary: fc.constant('accepted' as const) }, fc.constantFrom(...KINDS)),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), which: fc.nat(9) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('receipt' as const),
      which: fc.nat(99),
      state: fc.oneof(
        { weight: 4, arbitrary: fc.constant('delivered' as const) },
        { weight: 1, arbitrary: fc.constant('undelivered' as const) },
      ),
      times: fc.integer({ min: 1, max: 3 }),
      knowsId: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('age' as const), seconds: fc.constantFrom(5, 40, 70, 1_300) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One history of a few orders, and the carrier's side of it. */
class History {
  private owned: Owned[] = [];
  /** What the carrier took: segments that may be receipted, each time that they reached it. */
  private readonly taken: { owned: Owned; position: number }[] = [];

  constructor(
    readonly account: string,
    private readonly messages: readonly { id: string; destination: string; segments: number }[],
  ) {}

  get ids(): string[] {
    return this.messages.map(({ id }) => id);
  }

  async take(wanted: Step): Promise<void> {
    switch (wanted.do) {
      case 'claim':
        return this.claim(this.ids[wanted.which % this.ids.length] ?? '', wanted.holds ? holding : ledger.carrierId);
      case 'submit':
        return this.submit(this.owned[wanted.which % this.owned.length], wanted.kind, wanted.isRepeated);
      case 'die':
        this.owned = this.owned.filter((_, index) => index !== wanted.which % this.owned.length);
        return;
      case 'receipt':
        return this.receipt(this.taken[wanted.which % this.taken.length], wanted.state, wanted.times, wanted.knowsId);
      case 'sweep':
        await ledger.sweep({ receiptDeadlineSeconds: 1_200 });
        await rematchReceipts(ledger.database, 3_600, 30, 0);
        return;
      case 'age':
        for (const id of this.ids) await ledger.age(id, wanted.seconds);
    }
  }

  async claim(id: string, carrier: number): Promise<void> {
    const message = this.messages.find((one) => one.id === id);
    const [order] = await ledger.claim([id], { carrierId: carrier });
    if (order === undefined || message === undefined) return;
    const owned = { ...message, carrierId: carrier, epoch: order.epoch, open: order.openPositions, next: 0 };
    if (owned.open.length > 0) this.owned.push(owned);
    else await ledger.record([answer(owned, 0, 'pending')]);
  }

  /** The next segment of an order: its intent, the wire, and the answer, which may be lost on the way back. */
  async submit(owned: Owned | undefined, kind: (typeof KINDS)[number], isRepeated: boolean): Promise<void> {
    if (owned === undefined) return;
    const position = owned.open[owned.next] ?? 0;
    const isLast = owned.next === owned.open.length - 1;
    if (owned.next > 0) {
      const intent = { id: owned.id, position, epoch: owned.epoch, carrierId: owned.carrierId };
      const [isOurs] = await recordIntents(ledger.database, [intent]);
      if (!isOurs) {
        this.owned = this.owned.filter((one) => one !== owned);
        return;
      }
    }
    owned.next += 1;
    if (kind === 'accepted' || kind === 'in_doubt' || kind === 'unheard') this.taken.push({ owned, position });
    const isDone = isLast || kind !== 'accepted';
    if (isDone) this.owned = this.owned.filter((one) => one !== owned);
    if (kind === 'unheard') return;
    const result: SubmitResult = answer(owned, position, kind, { done: isDone });
    await ledger.record(isRepeated ? [result, result] : [result]);
    if (isRepeated) await ledger.record([result]);
  }

  private async receipt(
    taken: { owned: Owned; position: number } | undefined,
    state: 'delivered' | 'undelivered',
    times: number,
    knowsId: boolean,
  ): Promise<void> {
    if (taken === undefined) return;
    const { owned, position } = taken;
    const receipt = receiptFor(owned, position, state, {
      carrierMessageId: knowsId ? carrierId(owned.id, position) : `${owned.id}/${position}/${owned.epoch}`,
      userMessageReference: segmentReference(owned.id, position),
    });
    await ledger.settle(Array(times).fill(receipt), owned.carrierId);
  }

  /** Lets a good worker and the reconciler go on until nothing is open any more, and once more then. */
  async end(): Promise<void> {
    this.owned = [];
    let isOpen = true;
    for (let round = 0; isOpen && round < ROUNDS_MAX; round += 1) {
      isOpen = await this.hasOpen();
      for (const id of this.ids) await ledger.age(id, 1_300);
      await this.take({ do: 'sweep' });
      for (const id of this.ids) {
        await this.claim(id, ledger.carrierId);
        for (let owned = this.owned[0]; owned !== undefined; owned = this.owned[0]) {
          await this.submit(owned, 'accepted', false);
        }
      }
    }
    await this.lateReceipts();
  }

  private async hasOpen(): Promise<boolean> {
    const open = await ledger.database.query(
      'select from message_order where id = any($1::uuid[]) and state::text <> all ($2::text[]) limit 1',
      [this.ids, FINAL],
    );
    return open.length > 0;
  }

  /**
   * Receipts that come after the order has ended: a segment may have been waited for no longer, because another one had
   * decided the order. They may still make it `delivered`, and never anything that it could not become.
   */
  private async lateReceipts(): Promise<void> {
    for (const message of this.messages) {
      const { segments } = await ledger.find(message.id);
      for (const { position, state, carrierMessageId } of segments) {
        if (state !== 'accepted') continue;
        const receipt = receiptFor(message, position, 'delivered', { carrierMessageId });
        for (const carrier of [ledger.carrierId, holding]) await ledger.settle([receipt], carrier);
      }
    }
  }
}

/** One history to each end that there is. */
const CLAIM: Step = { do: 'claim', which: 0, holds: false };
const ACCEPTED: Step = { do: 'submit', which: 0, kind: 'accepted', isRepeated: false };
const EXAMPLES: [number[], Step[]][] = [
  [[1], [CLAIM, ACCEPTED, { do: 'receipt', which: 0, state: 'delivered', times: 1, knowsId: true }]],
  [[1], [CLAIM, ACCEPTED, { do: 'receipt', which: 0, state: 'undelivered', times: 1, knowsId: true }]],
  [[1], [CLAIM, { do: 'submit', which: 0, kind: 'refused', isRepeated: false }]],
  [[1], [CLAIM, ACCEPTED]],
];

test('whatever happens, every order ends, and every account has paid for exactly what was taken', async () => {
  let finals = 0;
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 5, maxLength: 45 }),
      async (lengths, steps) => {
        const segments = lengths.reduce((sum, length) => sum + length, 0);
        const messages = lengths.map((length) => ledger.message(length));
        const history = new History(await ledger.account(segments), messages);
        await ledger.accept(history.account, [batchOf(messages)]);
        for (const wanted of steps) {
          await history.take(wanted);
          await expectOpenOrdersAreDue(history.ids);
        }
        await history.end();

        let amounts = 0n;
        for (const id of history.ids) {
          const record = await ledger.find(id);
          expect(FINAL).toContain(record.state);
          const inTime = record.segments.filter(({ state }) =>
            ['accepted', 'delivered', 'undelivered', 'unknown'].includes(state),
          );
          if (record.state === 'failed')
            expect(record.amount).toBeLessThanOrEqual(SEGMENT_PRICE * BigInt(inTime.length));
          else expect(record.amount).toBe(record.price);
          amounts += record.amount;
          seen.add(record.state);
          finals += 1;
        }
        expect(await ledger.figures(history.account)).toMatchObject({
          reserved: 0n,
          captured: amounts,
          available: SEGMENT_PRICE * BigInt(segments) - amounts,
        });
        await ledger.expectClean();
      },
    ),
    fuzz(60, { examples: EXAMPLES }),
  );
  expect(finals).toBeGreaterThan(60);
  // Every end was reached, so the property is not proven of nothing.
  expect([...seen].sort()).toEqual([...FINAL].sort());
});

/** Nobody may be forgotten: what is not final has a time by which somebody looks at it. */
async function expectOpenOrdersAreDue(ids: readonly string[]): Promise<void> {
  const forgotten = await ledger.database.query(
    `select id, state from message_order
      where id = any($1::uuid[]) and (due_at is null) <> (state in ('delivered', 'undelivered', 'failed', 'unknown'))`,
    [ids],
  );
  expect(forgotten).toEqual([]);
}
