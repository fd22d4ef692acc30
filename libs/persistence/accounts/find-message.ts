import type { Micros, OrderState, TransitionActor } from '#billing';
import type { Queryable } from '../database/database.js';
import { isUuid } from '../database/is-uuid.js';
import { OperatorError } from '../operators/operator-error.js';
import { learnTextKeys } from '../texts/text-keys.js';

export type SegmentState =
  | 'pending'
  | 'submitting'
  | 'accepted'
  | 'in_doubt'
  | 'refused'
  | 'delivered'
  | 'undelivered'
  | 'unknown';

/** All that is known of one message. */
export interface MessageRecord {
  readonly id: string;
  readonly accountId: string;
  readonly currency: string;
  readonly sequence: bigint;
  readonly recipient: string;
  readonly message: string;
  /** By a redaction or after its days: a message is never accepted without a text. */
  readonly isTextRemoved: boolean;
  readonly encoding: 'standard' | 'extended';
  readonly segmentCount: number;
  readonly price: Micros;
  /** Its cost now: less than the price if it failed. */
  readonly amount: Micros;
  readonly state: OrderState;
  readonly attempts: number;
  readonly carrier: string | undefined;
  readonly carrierCode: string | undefined;
  readonly createdAt: Date;
  /** The time for which it was scheduled. */
  readonly sendAt: Date | undefined;
  /** Of its own, instead of the account's. */
  readonly sender: string | undefined;
  readonly validUntil: Date;
  readonly dueAt: Date | undefined;
  readonly sentAt: Date | undefined;
  readonly finalAt: Date | undefined;
  /** What the client calls it, and what it belongs to. */
  readonly reference: string | undefined;
  readonly tag: string | undefined;
  readonly segments: readonly SegmentRecord[];
  readonly transitions: readonly TransitionRecord[];
}

interface SegmentRecord {
  /** From 1. */
  readonly position: number;
  /** It carried the whole message, as HTTP carriers take it, and stands for all segments. */
  readonly isWhole: boolean;
  readonly state: SegmentState;
  readonly attempt: number;
  readonly carrier: string | undefined;
  readonly carrierMessageId: string | undefined;
  readonly carrierCode: string | undefined;
  readonly submittedAt: Date;
  readonly acceptedAt: Date | undefined;
  readonly settledAt: Date | undefined;
}

interface TransitionRecord {
  readonly at: Date;
  readonly from: OrderState;
  readonly to: OrderState;
  readonly actor: TransitionActor;
  readonly carrierCode: string | undefined;
}

/** As the statement below answers it: NULL for undefined; JSON for the lists, so their times are texts. */
type Nullable<Item> = {
  [Key in keyof Item]: undefined extends Item[Key] ? Exclude<Item[Key], undefined> | null : Item[Key];
};
type Json<Item> = {
  [Key in keyof Item]: Date extends Item[Key] ? string | Exclude<Item[Key], Date> : Item[Key];
};
type OrderRow = Nullable<
  Omit<MessageRecord, 'isTextRemoved' | 'segments' | 'transitions' | 'sequence' | 'price' | 'amount'>
> & {
  sequence: string;
  price: string;
  amount: string;
  segments: readonly Json<Nullable<SegmentRecord>>[];
  transitions: readonly Json<Nullable<TransitionRecord>>[];
};

/** One statement, so that the order, its segments and its changes of state are of the same moment. */
const MESSAGE = `
  select o.id, o.account_id as "accountId", a.currency, o.sequence, o.recipient, o.message,
         case when o.extended then 'extended' else 'standard' end as encoding, o.segments as "segmentCount", o.price,
         o.amount, o.state, o.attempts, c.name as carrier, o.carrier_code as "carrierCode", o.created_at as "createdAt",
         o.send_at as "sendAt", o.sender, o.valid_until as "validUntil", o.due_at as "dueAt", o.sent_at as "sentAt",
         o.final_at as "finalAt", l.reference, l.tag,
         (select coalesce(json_agg(json_build_object(
                   'position', s.position, 'isWhole', s.whole, 'state', s.state, 'attempt', s.attempt,
                   'carrier', sc.name, 'carrierMessageId', s.carrier_message_id, 'carrierCode', s.carrier_code,
                   'submittedAt', s.submitted_at, 'acceptedAt', s.accepted_at, 'settledAt', s.settled_at)
                   order by s.position), '[]')
            from segment s left join carrier sc using (carrier_id) where s.message_id = o.id) as segments,
         (select coalesce(json_agg(json_build_object(
                   'at', t.at, 'from', t.from_state, 'to', t.to_state, 'actor', t.actor, 'carrierCode', t.carrier_code)
                   order by t.at, t.from_state), '[]')
            from order_transition t where t.message_id = o.id) as transitions
    from message_order o join account a using (account_id) left join carrier c using (carrier_id)
    left join order_label l on l.account_id = o.account_id and l.sequence = o.sequence
   where o.id = $1`;

/**
 * @param withText false: the text is empty, and no key is needed
 * @throws OperatorError when there is no such message, or this process cannot read its text
 */
export async function findMessage(database: Queryable, id: string, withText = true): Promise<MessageRecord> {
  const found = await messageRecord(database, id, withText);
  if (found === undefined) throw new OperatorError(`there is no message ${id}`, 'missing');
  return found;
}

/**
 * What is known of a message of any account; undefined when there is none with this id.
 *
 * @param withText false: the text is empty, and no key is needed
 * @throws TextUnreadable when this process cannot read the text
 */
export async function messageRecord(
  database: Queryable,
  id: string,
  withText = true,
): Promise<MessageRecord | undefined> {
  const [order] = isUuid(id) ? await database.query<OrderRow>(MESSAGE, [id]) : [];
  if (order === undefined) return undefined;
  if (!withText) return recordOf(order, '');
  await learnTextKeys(database, [order.message]);
  return recordOf(order, database.texts.open(order.message, `message:${order.id}`));
}

/** @param text what may be shown of `order.message`, as it is stored */
function recordOf(order: OrderRow, text: string): MessageRecord {
  return {
    ...order,
    message: text,
    isTextRemoved: order.message === '',
    sequence: BigInt(order.sequence),
    price: BigInt(order.price),
    amount: BigInt(order.amount),
    carrier: order.carrier ?? undefined,
    carrierCode: order.carrierCode ?? undefined,
    sendAt: order.sendAt ?? undefined,
    sender: order.sender ?? undefined,
    dueAt: order.dueAt ?? undefined,
    sentAt: order.sentAt ?? undefined,
    finalAt: order.finalAt ?? undefined,
    reference: order.reference ?? undefined,
    tag: order.tag ?? undefined,
    segments: order.segments.map((segment) => ({
      ...segment,
      carrier: segment.carrier ?? undefined,
      carrierMessageId: segment.carrierMessageId ?? undefined,
      carrierCode: segment.carrierCode ?? undefined,
      submittedAt: new Date(segment.submittedAt),
      acceptedAt: moment(segment.acceptedAt),
      settledAt: moment(segment.settledAt),
    })),
    transitions: order.transitions.map((change) => ({
      ...change,
      at: new Date(change.at),
      carrierCode: change.carrierCode ?? undefined,
    })),
  };
}

function moment(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
