import { expect } from '@jest/globals';
import { v7 as uuidV7 } from 'uuid';
import { type Micros, type OrderState, planSegments } from '#billing';
import {
  type AcceptRequest,
  type AcceptVerdict,
  acceptMessages,
  addCarrier,
  bookDeposit,
  type CarrierSettings,
  type ClaimedOrder,
  createAccount,
  Database,
  findMessage,
  importTariff,
  isLockTimeout,
  type MessageRecord,
  NOT_ROUTED,
  type PricedMessage,
  type ReceiptToSettle,
  reconcileOrders,
  requeueAll,
  type SubmitResult,
  settleReceipts,
  takeFromBacklog,
  verifyLedger,
} from '#persistence';
import { tryAgain } from '#timing';
import { type OrderMove } from '../../libs/persistence/dispatch/dispatch-write.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { claimOrders, recordSubmits } from './dispatch-steps.js';
import { TEST_SECRET_KEYS } from './secrets.js';
import { smppCarrier } from './smpp-carrier.js';

/** What a segment costs in these specs, in EUR. */
export const SEGMENT_PRICE: Micros = 10_000n;
const SETTINGS = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
const DEADLINES = { inDoubtWaitSeconds: 30, receiptDeadlineSeconds: 3_600 };

export interface Figures {
  readonly deposited: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
  readonly available: Micros;
  readonly messages: number;
}

/** Who claims, and how its carrier writes. */
interface ClaimOwner {
  readonly workerId?: string;
  readonly carrierId?: number;
  readonly leaseSeconds?: number;
  readonly whole?: boolean;
  readonly format?: string;
}

/** Again while another transaction holds a balance or an order, as a worker does. */
const LOCK_WAIT = { giveUpAfterMs: 20_000, waitMs: 10 };

/** A database of its own with a tariff and a carrier, and the steps of a message's way as a spec wants to take them. */
export class TestLedger {
  carrierId = 0;
  private number = 0;

  private constructor(
    private readonly store: TestDatabase,
    readonly database: Database,
  ) {}

  static async create(): Promise<TestLedger> {
    const store = await createTestDatabase();
    const ledger = new TestLedger(
      store,
      await Database.open({
        url: store.url,
        poolSize: 12,
        applicationName: 'spec',
        secretKeys: TEST_SECRET_KEYS,
        statementTimeoutMs: 20_000,
      }),
    );
    await importTariff(ledger.database, {
      name: 'flat',
      currency: 'EUR',
      rates: [...'123456789'].map((prefix) => ({ prefix, price: SEGMENT_PRICE })),
    });
    ledger.carrierId = await ledger.carrier();
    return ledger;
  }

  get url(): string {
    return this.store.url;
  }

  async carrier(settings: Partial<CarrierSettings> = {}): Promise<number> {
    const added = await addCarrier(this.database, smppCarrier({ name: `carrier-${++this.number}`, ...settings }));
    return added.carrierId;
  }

  /** An account with money for `segments` segments. */
  async account(
    segments: number,
    settings: { readonly creditLimit?: Micros; readonly rateLimitPerSecond?: number } = {},
  ): Promise<string> {
    const { account } = await createAccount(this.database, {
      name: `Account ${++this.number}`,
      currency: 'EUR',
      tariff: 'flat',
      ...settings,
    });
    const { accountId } = account;
    if (segments > 0) {
      await bookDeposit(this.database, accountId, { amount: SEGMENT_PRICE * BigInt(segments), currency: 'EUR' });
    }
    return accountId;
  }

  /** A priced message of so many segments; every one goes to a number of its own unless told otherwise. */
  message(segments = 1, changes: Partial<PricedMessage> = {}): PricedMessage {
    const message = segments === 1 ? `Hello ${++this.number}` : 'x'.repeat(153 * segments);
    if (planSegments(message).segments.length !== segments) throw new Error(`not ${segments} segments`);
    const destination = `467${String(++this.number).padStart(8, '0')}`;
    return {
      id: uuidV7(),
      recipient: `+${destination}`,
      destination,
      message,
      encoding: 'standard',
      segments,
      price: SEGMENT_PRICE * BigInt(segments),
      ...changes,
    };
  }

  accept(
    accountId: string,
    requests: readonly (PricedMessage | AcceptRequest)[],
    again = false,
  ): Promise<AcceptVerdict[]> {
    const wanted = requests.map((request) => ({ accountId, request: requestOf(request) }));
    return acceptMessages(this.database, wanted, SETTINGS, again);
  }

  /** Accepts a message and hands back its id. */
  async queued(accountId: string, segments = 1, changes: Partial<PricedMessage> = {}): Promise<PricedMessage> {
    const message = this.message(segments, changes);
    expect(await this.accept(accountId, [message])).toEqual([{ kind: 'accepted' }]);
    return message;
  }

  async claim(
    ids: readonly string[],
    { workerId = 'worker-1', carrierId = this.carrierId, leaseSeconds = 60, whole = false, format }: ClaimOwner = {},
  ): Promise<readonly ClaimedOrder[]> {
    const owner = { workerId, carrierId, leaseSeconds, whole, format };
    return tryAgain(() => claimOrders(this.database, ids, owner), isLockTimeout, LOCK_WAIT);
  }

  /** Claims one order that must be there to be claimed. */
  async claimed(id: string, owner: ClaimOwner = {}) {
    const [order] = await this.claim([id], owner);
    if (order === undefined) throw new Error(`${id} could not be claimed`);
    return order;
  }

  record(results: readonly SubmitResult[], inDoubtWaitSeconds = 30): Promise<readonly OrderMove[]> {
    return tryAgain(() => recordSubmits(this.database, results, inDoubtWaitSeconds), isLockTimeout, LOCK_WAIT);
  }

  settle(receipts: readonly ReceiptToSettle[], carrierId = this.carrierId) {
    return settleReceipts(this.database, carrierId, receipts, 30);
  }

  /** Acts on deadlines, and hands back the ids of what a feeder takes out of the backlogs then. */
  async sweep(
    settings: Partial<typeof DEADLINES> & { queueIsEmpty?: boolean; limit?: number } = {},
  ): Promise<string[]> {
    if (settings.queueIsEmpty === true) await requeueAll(this.database, SETTINGS.sweepAfterSeconds);
    await reconcileOrders(this.database, { ...DEADLINES, ...settings }, settings.limit ?? 1_000);
    return this.fed();
  }

  async fed(): Promise<string[]> {
    const orders = await takeFromBacklog(this.database, {
      carrierId: NOT_ROUTED,
      segmentsMax: 100_000,
      quantum: 100_000,
      dueAfterSeconds: SETTINGS.sweepAfterSeconds,
      inFlightMax: undefined,
    });
    return orders.map(({ id }) => id);
  }

  /** What earlier tests have left comes up in no turn and no sweep. */
  async forgetOpenWork(): Promise<void> {
    await this.database.query('delete from dispatch_backlog');
    await this.database.query('delete from dispatch_turn');
    await this.database.query('update message_order set due_at = null');
  }

  find(id: string): Promise<MessageRecord> {
    return findMessage(this.database, id);
  }

  async state(id: string): Promise<OrderState> {
    return (await this.find(id)).state;
  }

  /** Lets time pass for one order: every moment that it stores moves into the past. */
  async age(id: string, seconds: number): Promise<void> {
    await this.database.query(
      `update message_order set created_at = created_at - p, lease_until = lease_until - p, due_at = due_at - p,
              next_attempt_at = next_attempt_at - p, valid_until = valid_until - p, sent_at = sent_at - p
         from make_interval(secs => $2) as p where id = $1`,
      [id, seconds],
    );
    await this.database.query(
      'update segment set in_doubt_since = in_doubt_since - make_interval(secs => $2) where message_id = $1',
      [id, seconds],
    );
  }

  async figures(accountId: string): Promise<Figures> {
    const [row] = await this.database.query<Record<'deposited' | 'reserved' | 'captured' | 'last_sequence', string>>(
      'select * from account_balance where account_id = $1',
      [accountId],
    );
    const [deposited, reserved, captured] = [row?.deposited, row?.reserved, row?.captured].map((text) =>
      BigInt(text ?? 0),
    ) as [bigint, bigint, bigint];
    return {
      deposited,
      reserved,
      captured,
      available: deposited - reserved - captured,
      messages: Number(row?.last_sequence ?? 0),
    };
  }

  /** Fails with what is wrong unless every invariant of the ledger holds. */
  async expectClean(): Promise<void> {
    await expectCleanLedger(this.database);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.store.drop();
  }
}

/** Fails with what is wrong unless every invariant of the ledger holds. */
export async function expectCleanLedger(database: Database): Promise<void> {
  const { checks } = await verifyLedger(database);
  expect(checks.filter(({ offenders }) => offenders > 0)).toEqual([]);
  expect(checks.length).toBeGreaterThan(10);
}

export function requestOf(wanted: PricedMessage | AcceptRequest): AcceptRequest {
  return 'messages' in wanted ? wanted : batchOf([wanted]);
}

export function batchOf(
  messages: readonly PricedMessage[],
  idempotencyKey?: { key: string; fingerprint: Buffer },
): AcceptRequest {
  const total = messages.reduce((sum, { price }) => sum + price, 0n);
  return { messages, total, inBacklog: messages.length > 1, ...(idempotencyKey && { idempotencyKey }) };
}

/** An answer of the carrier to one segment of a claimed order. */
export function answer(
  order: { readonly id: string; readonly epoch: number },
  position: number,
  kind: SubmitResult['kind'],
  changes: Partial<SubmitResult> = {},
): SubmitResult {
  const code = kind === 'accepted' ? carrierId(order.id, position) : `CODE_${kind}`;
  return { id: order.id, position, epoch: order.epoch, kind, answer: code, done: true, retryAfterMs: 0, ...changes };
}

/** The id that the carrier gave a segment in these specs. */
export function carrierId(id: string, position: number): string {
  return `${id.slice(-12)}-${position}`;
}

export function receiptFor(
  message: { readonly id: string; readonly destination: string },
  position: number,
  state: 'delivered' | 'undelivered',
  changes: Partial<ReceiptToSettle> = {},
): ReceiptToSettle {
  return {
    carrierMessageId: carrierId(message.id, position),
    userMessageReference: undefined,
    destination: message.destination,
    state,
    code: state === 'delivered' ? 'DELIVRD' : 'UNDELIV',
    ...changes,
  };
}
