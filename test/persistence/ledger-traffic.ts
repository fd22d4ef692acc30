import { randomUUID } from 'node:crypto';
import {
  acceptMessages,
  addCarrier,
  adjustBalance,
  bookDeposit,
  cancelOrders,
  createAccount,
  type Database,
  importTariff,
  type PricedMessage,
  reconcileOrders,
  type SubmitResult,
  setFxRate,
  settleReceipts,
} from '#persistence';
import { claimOrders, recordIntents, recordSubmits } from '../support/dispatch-steps.js';
import { smppCarrier } from '../support/smpp-carrier.js';

export const UNIT_PRICE = 50_000n;
const SETTINGS = { validitySeconds: 3_600, sweepAfterSeconds: 0 };
const IN_DOUBT_WAIT_SECONDS = 30;

/** A message of so many standard segments. */
export function message(segments = 1, unitPrice: bigint = UNIT_PRICE): PricedMessage {
  return {
    id: randomUUID(),
    recipient: '+49 1512 3456789',
    destination: '4915123456789',
    message: 'x'.repeat(segments === 1 ? 20 : segments * 153),
    encoding: 'standard',
    segments,
    price: unitPrice * BigInt(segments),
  };
}

/** An account in EUR with 100 EUR, and what it needs. */
export async function openAccount(database: Database, creditLimit = 0n): Promise<string> {
  await importTariff(database, { name: 'plain', currency: 'EUR', rates: [{ prefix: '49', price: UNIT_PRICE }] });
  const { account } = await createAccount(database, { name: 'Sender', currency: 'EUR', creditLimit });
  await bookDeposit(database, account.accountId, { amount: 100_000_000n, currency: 'EUR' });
  return account.accountId;
}

/** Messages in every state that there is, made by the statements that the service uses. */
export async function makeTraffic(database: Database): Promise<Record<TrafficName, string>> {
  const accountId = await openAccount(database);
  await setFxRate(database, 'USD', 'EUR', '0.9215');
  await bookDeposit(database, accountId, { amount: 10_000_001n, currency: 'USD', reference: 'dollars' });
  await adjustBalance(database, accountId, { amount: -1_000_000n, reason: 'a correction' });
  const { carrierId } = await addCarrier(database, smppCarrier());
  const messages: Record<TrafficName, PricedMessage> = {
    delivered: message(),
    undelivered: message(),
    partlyFailed: message(3),
    refused: message(),
    sent: message(2),
    free: message(1, 0n),
    unknown: message(),
    sending: message(),
    queued: message(),
    throttled: message(2),
    scheduled: { ...message(), sendAt: new Date(Date.now() + 86_400_000) },
    canceled: message(2),
  };
  const { delivered, undelivered, partlyFailed, ...single } = messages;
  const batch = [delivered, undelivered, partlyFailed];
  const verdicts = await acceptMessages(
    database,
    [
      {
        messages: batch,
        total: total(batch),
        inBacklog: true,
        batchId: randomUUID(),
        idempotencyKey: { key: 'batch', fingerprint: Buffer.alloc(32, 1) },
      },
      ...Object.values(single).map((each) => ({
        messages: [each],
        total: each.price,
        inBacklog: false,
      })),
    ].map((request) => ({ accountId, request })),
    SETTINGS,
  );
  if (verdicts.some(({ kind }) => kind !== 'accepted')) throw new Error('the traffic was refused');

  await cancelOrders(database, accountId, [messages.canceled.id]);

  const owner = { workerId: 'worker', carrierId, leaseSeconds: 60, format: 'in segments' };
  const claim = (...names: TrafficName[]) =>
    claimOrders(
      database,
      names.map((name) => messages[name].id),
      owner,
    );
  const submit = (...results: SubmitResult[]) => recordSubmits(database, results, IN_DOUBT_WAIT_SECONDS);
  const answer = (name: TrafficName, position: number, kind: SubmitResult['kind'], done: boolean): SubmitResult => ({
    id: messages[name].id,
    position,
    epoch: 1,
    kind,
    answer: kind === 'accepted' ? `${name}-${position}` : 'ESME_RNO',
    done,
    retryAfterMs: 60_000,
  });
  const receipt = (name: TrafficName, state: 'delivered' | 'undelivered') =>
    settleReceipts(
      database,
      carrierId,
      [
        {
          carrierMessageId: `${name}-1`,
          userMessageReference: undefined,
          destination: '4915123456789',
          state,
          code: 'OK',
        },
      ],
      IN_DOUBT_WAIT_SECONDS,
    );

  await claim('unknown');
  await submit(answer('unknown', 1, 'accepted', true));
  await reconcileOrders(database, {
    inDoubtWaitSeconds: IN_DOUBT_WAIT_SECONDS,
    receiptDeadlineSeconds: 0,
  });

  await claim('delivered', 'undelivered', 'partlyFailed', 'refused', 'sent', 'free', 'sending', 'throttled');
  await submit(
    answer('delivered', 1, 'accepted', true),
    answer('undelivered', 1, 'accepted', true),
    answer('refused', 1, 'refused', true),
    answer('free', 1, 'accepted', true),
    answer('partlyFailed', 1, 'accepted', false),
    answer('sent', 1, 'accepted', false),
    answer('throttled', 1, 'accepted', false),
  );
  const second = (name: TrafficName) => ({ id: messages[name].id, position: 2, epoch: 1, carrierId });
  await recordIntents(database, [second('partlyFailed'), second('sent'), second('throttled')]);
  await submit(
    answer('partlyFailed', 2, 'refused', true),
    answer('sent', 2, 'accepted', true),
    answer('throttled', 2, 'pending', true),
  );
  await receipt('delivered', 'delivered');
  await receipt('undelivered', 'undelivered');
  await receipt('free', 'delivered');
  return Object.fromEntries(Object.entries(messages).map(([name, { id }]) => [name, id])) as Record<
    TrafficName,
    string
  >;
}

export type TrafficName =
  | 'delivered'
  | 'undelivered'
  | 'partlyFailed'
  | 'refused'
  | 'sent'
  | 'free'
  | 'unknown'
  | 'sending'
  | 'queued'
  | 'throttled'
  | 'scheduled'
  | 'canceled';

function total(messages: readonly PricedMessage[]): bigint {
  return messages.reduce((sum, { price }) => sum + price, 0n);
}
