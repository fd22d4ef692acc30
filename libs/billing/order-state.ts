/** The values of `external_status`. */
export const ORDER_STATES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'canceled',
  'unknown',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/**
 * Who changes the state of an accepted order: a client cancels, a worker dispatches, a receipt settles, the reconciler
 * queues what was scheduled and processes overdue orders, and an operator decides about held ones.
 */
export type TransitionActor = 'client' | 'worker' | 'receipt' | 'reconciler' | 'operator';

export interface Transition {
  readonly from: OrderState;
  readonly to: OrderState;
  /** When each actor takes this step, as the documentation says it. */
  readonly by: Readonly<Partial<Record<TransitionActor, string>>>;
  /** What happens to the reservation in the same transaction. */
  readonly money?: 'capture' | 'release';
}

/**
 * Every change of state after acceptance. The database's check `legal_transition` and the table in docs/ARCHITECTURE.md
 * have the same rows, and specs compare both with this table. A new row needs a migration that changes the check.
 */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'scheduled', to: 'queued', by: { reconciler: 'its time has come' } },
  { from: 'scheduled', to: 'failed', by: { operator: 'refund' }, money: 'release' },
  { from: 'scheduled', to: 'canceled', by: { client: 'cancel' }, money: 'release' },
  {
    from: 'queued',
    to: 'sending',
    by: {
      worker: 'claim, or no route and carriers may have it',
      receipt: 'for a held message',
      operator: 'hold resolved as `unknown`',
      reconciler: 'validity over, carriers may have all of it',
    },
  },
  {
    from: 'queued',
    to: 'sent',
    by: { worker: 'late response to a submit in doubt', receipt: 'for a submit in doubt' },
    money: 'capture',
  },
  {
    from: 'queued',
    to: 'failed',
    by: { worker: 'no route', reconciler: 'validity over', operator: 'refund' },
    money: 'release',
  },
  { from: 'queued', to: 'canceled', by: { client: 'cancel, before any carrier has it' }, money: 'release' },
  {
    from: 'sending',
    to: 'sent',
    by: {
      worker: 'all segments accepted',
      receipt: 'for a submit in doubt',
      reconciler: 'in doubt, another segment is undelivered',
    },
    money: 'capture',
  },
  {
    from: 'sending',
    to: 'queued',
    by: {
      worker: 'throttled, temporary error, carrier down',
      reconciler: 'lease over',
      operator: 'hold resolved as `resend`',
    },
  },
  {
    from: 'sending',
    to: 'failed',
    by: { worker: 'refused', reconciler: 'lease over, a segment refused', operator: 'refund' },
    money: 'release',
  },
  {
    from: 'sending',
    to: 'unknown',
    by: {
      reconciler: 'in doubt, policy `hold` or validity over',
      operator: 'hold resolved as `unknown`',
      worker: 'all answered, a segment is unknown',
      receipt: 'all answered, a segment is unknown',
    },
    money: 'capture',
  },
  { from: 'sent', to: 'delivered', by: { receipt: 'all segments', worker: 'the receipt came before the response' } },
  {
    from: 'sent',
    to: 'undelivered',
    by: {
      receipt: 'any segment',
      worker: 'the receipt came before the response',
      reconciler: 'no longer waited for, another segment is undelivered',
    },
  },
  {
    from: 'sent',
    to: 'unknown',
    by: {
      reconciler: 'no receipt by the deadline',
      worker: 'late response, another segment is unknown',
      receipt: 'in doubt, another segment is unknown',
    },
  },
  { from: 'unknown', to: 'delivered', by: { receipt: 'late', worker: 'the receipt came before a late response' } },
  { from: 'unknown', to: 'undelivered', by: { receipt: 'late', worker: 'the receipt came before a late response' } },
  { from: 'undelivered', to: 'delivered', by: { receipt: 'late', worker: 'the receipt came before a late response' } },
];

/** Whether an order may go from one state to another. */
export function isLegalTransition(from: OrderState, to: OrderState): boolean {
  return TRANSITIONS.some((transition) => transition.from === from && transition.to === to);
}
