import { join } from 'node:path';
import type { Micros } from '#billing';
import type { System } from '../../harness/system.js';
import { DEPOSIT } from '../accounts.js';
import type { Stage } from '../field.js';
import { CARRIER_LOG, nameIn, readCarrierLog } from '../history/carrier-log.js';
import { acceptedAttempt, readHistory, type SendStory } from '../history/history.js';
import type { Evidence, StoredBalance, StoredBatch, StoredOrder, StoredSegment, StoredTransition } from './evidence.js';

/** Reads everything once, when nothing moves any more. */
export async function gatherEvidence(
  { system, accounts, events }: Stage,
  historyFiles: readonly string[],
  otherDeposits: ReadonlyMap<string, Micros>,
): Promise<Evidence> {
  const { postgres } = system;
  const orders = await postgres.query<Omit<StoredOrder, 'name'>>(ORDERS);
  const unmatched = await postgres.query<{ id: string }>('select carrier_message_id as id from parked_receipt');
  const history = await readHistory(...historyFiles);
  const names = new Map([...history.sends.values()].flatMap(namesById));
  return {
    history,
    carrier: await readCarrierLog(join(system.dir, CARRIER_LOG)),
    orders: orders.map((order) => ({
      ...order,
      // A redacted text names nothing; the client knows its id, unless no answer has told it.
      name: nameIn(order.message) ?? names.get(order.id) ?? '',
    })),
    segments: await postgres.query<StoredSegment>(SEGMENTS),
    transitions: await postgres.query<StoredTransition>(TRANSITIONS),
    heard: events,
    batches: await postgres.query<StoredBatch>('select batch_id as id, order_count as messages from message_batch'),
    unmatched: new Set(unmatched.map(({ id }) => id)),
    balances: await postgres.query<StoredBalance>(BALANCES),
    deposited: new Map([...otherDeposits, ...accounts.map(({ accountId }) => [accountId, DEPOSIT] as const)]),
    ledgerFault: await verifyLedger(system),
  };
}

function namesById(story: SendStory): [string, string][] {
  const ids = acceptedAttempt(story)?.ids ?? [];
  return ids.map((id, index) => [id, story.sent.messages[index]?.name ?? '']);
}

function verifyLedger({ smsctl }: System): Promise<string | undefined> {
  return smsctl.run('ledger', 'verify').then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const ORDERS = 'select id, account_id::text as account, message, segments, price, amount, state from message_order';
const SEGMENTS = 'select message_id as "orderId", position, state from segment';
const TRANSITIONS = `
  select message_id as "orderId", from_state as "from", to_state as "to" from order_transition`;
const BALANCES = 'select account_id::text as account, deposited, reserved, captured from account_balance';
