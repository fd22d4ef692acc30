import { type TSchema, Type } from '@sinclair/typebox';
import { endpoint } from './endpoint.js';

const Instant = Type.String({ format: 'date-time' });
const Amount = Type.String({ description: 'A decimal in units of the currency.' });
const Count = Type.Number();
const Counts = {
  accepted: Count,
  sent: Type.Number({ description: 'Handed to a carrier that took them.' }),
  delivered: Count,
  undelivered: Count,
  failed: Count,
  canceled: Count,
  unknown: Count,
};
const Hours = {
  lastHour: Type.Object(Counts),
  weekBefore: Type.Object(Counts, { description: 'The same hour a week before.' }),
};
const Steps = Type.Array(Type.Object({ startedAt: Instant, ...Counts }), { description: 'Five minutes each.' });
const Backlog = Type.Object({ messages: Count, oldestSeconds: Count });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

export const showOverview = endpoint({
  useCase: 'overview.show',
  method: 'GET',
  path: '/overview',
  summary: 'Whether money and messages flow',
  description:
    'The last hour against the same hour of the week before, by account and by carrier; what waits, what needs a ' +
    'person, and the sums of money. At most ten seconds old. Counts of `work` end at `workCountMax`.',
  answer: Type.Object({
    at: Instant,
    traffic: Type.Object({
      ...Hours,
      steps: Steps,
      stepsOfWeekBefore: Steps,
      isWeekKnown: Type.Boolean({ description: 'Whether the service was counting a week before.' }),
    }),
    reasons: Type.Array(
      Type.Object({
        carrierId: Type.Integer({ description: '0: no carrier had the messages.' }),
        event: Type.String({ enum: ['undelivered', 'failed', 'unknown'] }),
        code: Type.String(),
        messages: Count,
      }),
      { description: 'Why messages did not reach their recipients in the last hour.' },
    ),
    carriers: Type.Array(
      Type.Object({
        carrierId: Type.Integer(),
        name: Type.String(),
        simulator: Type.Boolean(),
        state: Type.String({ enum: ['bound', 'throttled', 'down', 'paused', 'excluded', 'unused'] }),
        workersBound: Count,
        workers: Count,
        lastError: optional(Type.Object({ reason: Type.String(), at: Instant })),
        segmentsPerSecond: Count,
        ...Hours,
        waiting: Backlog,
        awaitingReceipts: Type.Object(
          { messages: Count, oldestSeconds: Count },
          { description: 'Messages that it took and whose receipts have not come.' },
        ),
      }),
    ),
    accounts: Type.Array(
      Type.Object({
        accountId: Type.String(),
        name: Type.String(),
        status: Type.String(),
        ...Hours,
        waiting: Backlog,
      }),
      { description: 'With messages in the last hour or in a backlog; at most 50.' },
    ),
    notRouted: Backlog,
    work: Type.Object({
      oldestQueuedSeconds: optional(Count),
      queued: Count,
      overdue: Count,
      inDoubt: Count,
      unmatchedReceipts: Count,
    }),
    workCountMax: Count,
    money: Type.Array(Type.Object({ currency: Type.String(), deposited: Amount, reserved: Amount, captured: Amount })),
    accountsByStatus: Type.Record(Type.String(), Count),
    hold: optional(Type.Object({ heldBefore: Instant, reason: Type.String(), setAt: Instant })),
    processes: Type.Record(Type.String(), Count),
  }),
  handle: ({ service, request, reply }) => service.overview.answer(request, reply),
});
