import { join } from 'node:path';
import type { Micros } from '#billing';
import type { System } from '../../harness/system.js';
import type { Stage } from '../field.js';
import { CARRIER_LOG, readCarrierLog } from '../history/carrier-log.js';
import { acceptedAttempt, readHistory, type SendStory } from '../history/history.js';
import type { Evidence, StoredBalance, StoredBatch, StoredOrder, StoredSegment, StoredTransition } from './evidence.js';

type Texts<Row, Money extends keyof Row> = Omit<Row, Money> & Record<Money, string>;

/** Reads everything once, when nothing moves any more. */
export async function gatherEvidence(
  { system, accounts, events }: Stage,
  historyFiles: readonly string[],
  otherDeposits: ReadonlyMap<string, Micros>,
): Promise<Evidence> {
  const { postgres } = system;
  const orders = await postgres.query<Texts<StoredOrder, 'price' | 'amount'>>(ORDERS);
  const balances = await postgres.query<Texts<StoredBalance, 'deposited' | 'reserved' | 'captured'>>(BALANCES);
  const unmatched = await postgres.query<{ id: string }>('select carrier_message_id as id from parked_receipt');
  const history = await readHistory(...historyFiles);
  const names = new Map([...history.sends.values()].flatMap(namesById));
  return {
    history,
    carrier: await readCarrierLog(join(system.dir, CARRIER_LOG)),
    orders: orders.map((order) => ({
      ...order,
      // A redacted text names nothing; the client knows its id, unless no answer has told it.
      name: order.name === '' ? (names.get(order.id) ?? '') : order.name,
      price: BigInt(order.price),
      amount: BigInt(order.amount),
    })),
    segments: await postgres.query<StoredSegment>(SEGMENTS),
    transitions: await postgres.query<StoredTransition>(TRANSITIONS),
    heard: events && [...events.changes.values()],
    heardBatches: events && [...events.batches.values()],
    batches: await postgres.query<StoredBatch>('select batch_id as id, order_count as messages from message_batch'),
    unmatched: new Set(unmatched.map(({ id }) => id)),
    balances: balances.map(({ account, deposited, reserved, captured }) => ({
      account,
      deposited: BigInt(deposited),
      reserved: BigInt(reserved),
      captured: BigInt(captured),
    })),
    deposited: new Map([
      ...otherDeposits,
      ...accounts.map(({ accountId, deposited }) => [accountId, deposited] as const),
    ]),
    ledgerFault: await verifyLedger(system),
  };
}

function namesById(story: SendStory): [string, string][] {
  const ids = acceptedAttempt(story)?.ids ?? [];
  return ids.map((id, index) => [id, story.sent.messages[index]?.name ?? '']);
}

async function verifyLedger({ smsctl }: System): Promise<string | undefined> {
  try {
    await smsctl.run('ledger', 'verify');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const ORDERS = `
  select id, account_id::text as account, coalesce(substring(message from '<([a-z][0-9]+\\.[0-9]+)>'), '') as name,
         message, segments, price::text, amount::text, state
    from message_order`;
const SEGMENTS = 'select message_id as "orderId", position, state from segment';
const TRANSITIONS = `
  select message_id as "orderId", from_state as "from", to_state as "to" from order_transition`;
const BALANCES = `
  select account_id::text as account, deposited::text, reserved::text, captured::text from account_balance`;
