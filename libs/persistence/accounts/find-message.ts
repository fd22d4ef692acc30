import type { Micros, OrderState, TransitionActor } from '#billing';
import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

/** All that is known of one message. */
export interface MessageRecord {
  readonly id: string;
  readonly accountId: string;
  readonly currency: string;
  readonly sequence: bigint;
  readonly recipient: string;
  readonly message: string;
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
  readonly validUntil: Date;
  readonly dueAt: Date | undefined;
  readonly sentAt: Date | undefined;
  readonly finalAt: Date | undefined;
  readonly segments: readonly SegmentRecord[];
  readonly transitions: readonly TransitionRecord[];
}

interface SegmentRecord {
  /** From 1. */
  readonly position: number;
  readonly state: string;
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

/** Rows as the statements below name them; NULL becomes undefined. */
type Nullable<Item> = {
  [Key in keyof Item]: undefined extends Item[Key] ? Exclude<Item[Key], undefined> | null : Item[Key];
};
type OrderRow = Nullable<Omit<MessageRecord, 'segments' | 'transitions' | 'sequence' | 'price' | 'amount'>> & {
  sequence: string;
  price: string;
  amount: string;
};

const ORDER = `
  select o.id, o.account_id as "accountId", a.currency, o.sequence, o.recipient, o.message,
         case when o.extended then 'extended' else 'standard' end as encoding, o.segments as "segmentCount", o.price,
         o.amount, o.state, o.attempts, c.name as carrier, o.carrier_code as "carrierCode", o.created_at as "createdAt",
         o.valid_until as "validUntil", o.due_at as "dueAt", o.sent_at as "sentAt", o.final_at as "finalAt"
    from message_order o join account a using (account_id) left join carrier c using (carrier_id)
   where o.id = $1`;

const SEGMENTS = `
  select s.position, s.state, s.attempt, c.name as carrier, s.carrier_message_id as "carrierMessageId",
         s.carrier_code as "carrierCode", s.submitted_at as "submittedAt", s.accepted_at as "acceptedAt",
         s.settled_at as "settledAt"
    from segment s left join carrier c using (carrier_id) where s.message_id = $1 order by s.position`;

const TRANSITIONS = `
  select at, from_state as "from", to_state as "to", actor, carrier_code as "carrierCode"
    from order_transition where message_id = $1 order by at, from_state`;

/** @throws OperatorError when there is no such message */
export async function findMessage(database: Queryable, id: string): Promise<MessageRecord> {
  const isUuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id);
  const [order] = isUuid ? await database.query<OrderRow>(ORDER, [id]) : [];
  if (order === undefined) throw new OperatorError(`there is no message ${id}`);
  const segments = await database.query<Nullable<SegmentRecord>>(SEGMENTS, [id]);
  const transitions = await database.query<Nullable<TransitionRecord>>(TRANSITIONS, [id]);
  return {
    ...order,
    sequence: BigInt(order.sequence),
    price: BigInt(order.price),
    amount: BigInt(order.amount),
    carrier: order.carrier ?? undefined,
    carrierCode: order.carrierCode ?? undefined,
    dueAt: order.dueAt ?? undefined,
    sentAt: order.sentAt ?? undefined,
    finalAt: order.finalAt ?? undefined,
    segments: segments.map((segment) => ({
      ...segment,
      carrier: segment.carrier ?? undefined,
      carrierMessageId: segment.carrierMessageId ?? undefined,
      carrierCode: segment.carrierCode ?? undefined,
      acceptedAt: segment.acceptedAt ?? undefined,
      settledAt: segment.settledAt ?? undefined,
    })),
    transitions: transitions.map((change) => ({ ...change, carrierCode: change.carrierCode ?? undefined })),
  };
}
