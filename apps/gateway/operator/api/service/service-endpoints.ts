import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import {
  audit,
  auditExport,
  HOLD_TIMEOUT_MS,
  holdRelease,
  holdResolve,
  holdSet,
  holdShow,
  ledgerVerify,
  VERIFY_TIMEOUT_MS,
} from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { AccountId, AccountName, CarrierName, Moment, Named, nullable, PAGING, PageOf, Word } from '../shapes.js';

const Hold = {
  heldBefore: Moment('Messages accepted before it are held.'),
  reason: Type.String({ examples: ['disk snapshot of 03:00 restored'] }),
  setAt: Moment('When it was set.'),
};
const Count = Type.Integer({ description: 'Counted up to 100,000.' });
const AUDIT_FILTERS = {
  account: Type.Optional(AccountId),
  since: Type.Optional(Moment('At or after it.')),
  until: Type.Optional(Moment('Before it.')),
  by: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A part of the name.' })),
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['carrier'] })),
};
const Change = nullable(
  Type.Record(Type.String(), Type.Unknown(), { description: 'Amounts are decimal strings, secrets are `***`.' }),
);

export const SERVICE_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'doctor',
    method: 'GET',
    path: '/doctor',
    summary: 'What is wrong with the service',
    description:
      'As this gateway sees it, at most five seconds old. `runbook` names the page of `docs/runbooks` that says what ' +
      'to do.',
    answer: Type.Object({
      isWell: Type.Boolean({ description: 'No check fails.' }),
      checks: Type.Array(
        Type.Object({
          check: Type.String({ examples: ['carrier acme'] }),
          state: Word(['ok', 'warn', 'fail'], '`warn`: it works, but a person should know.'),
          detail: Type.String({ examples: ['bound by 2 of 2 workers'] }),
          runbook: nullable(Type.String({ examples: ['carrier-outage'] })),
        }),
      ),
    }),
    handle: ({ service, request, reply }) => service.doctor.answer(request, reply),
  }),
  endpoint({
    useCase: 'queue.list',
    method: 'GET',
    path: '/queues',
    summary: 'What waits, by carrier, and for how long',
    answer: Type.Object({
      isUp: Type.Boolean({ description: 'The queue answers.' }),
      isHeld: Type.Boolean({ description: 'A hold keeps messages back.' }),
      queued: Count,
      oldestQueuedSeconds: nullable(
        Type.Number({ description: 'Age of the oldest message that may go and that no worker has taken.' }),
      ),
      overdue: Type.Integer({ description: 'Messages that no reconciler has looked at, counted up to 100,000.' }),
      inDoubt: Type.Integer({ description: 'Segments of which nobody knows whether the carrier has them.' }),
      unmatchedReceipts: Count,
      carriers: Type.Array(
        Type.Object({
          carrier: CarrierName,
          state: Type.String({ examples: ['bound'] }),
          jobs: nullable(
            Type.Object(
              {
                interactive: Type.Integer(),
                bulk: Type.Integer(),
                delayed: Type.Integer(),
                active: Type.Integer(),
              },
              { description: 'Jobs of up to 50 messages; null: the queue does not answer.' },
            ),
          ),
          jobsPerSecond: Type.Number({ description: 'That all workers together ended in the last seconds.' }),
          segmentsPerSecond: Type.Integer({ description: 'That the carrier took in the last seconds.' }),
        }),
      ),
      backlogs: Type.Array(
        Type.Object({
          carrier: nullable(Type.String({ description: 'Null: not routed yet, or free to go by every carrier.' })),
          accounts: Type.Integer(),
          messages: Type.Integer(),
        }),
      ),
    }),
    handle: ({ service, request, reply }) => service.waiting.answer(request, reply),
  }),
  endpoint({
    useCase: 'hold.show',
    method: 'GET',
    path: '/hold',
    summary: 'The hold on messages that looked open when the database was restored, and what it keeps back',
    description: 'It reads every open message: do not ask every few seconds.',
    answer: Type.Union([
      Type.Object({ isActive: Type.Literal(false) }),
      Type.Object({
        isActive: Type.Literal(true),
        ...Hold,
        messages: Type.Integer(),
        held: Type.Array(
          Type.Object({
            accountId: AccountId,
            accountName: AccountName,
            state: Word(['queued', 'sending'], 'Of the messages.'),
            orders: Type.Integer(),
            oldestAt: Moment('Of the oldest.'),
            newestAt: Moment('Of the newest.'),
            inDoubt: Type.Integer({ description: 'A carrier may have them.' }),
            expired: Type.Integer({ description: 'Past their validity.' }),
          }),
        ),
      }),
    ]),
    statementTimeoutMs: HOLD_TIMEOUT_MS,
    run: holdShow,
  }),
  endpoint({
    useCase: 'hold.set',
    method: 'PUT',
    path: '/hold',
    summary: 'Holds every open message that was accepted before a time; later ones go out',
    body: Type.Object({
      reason: Type.String({ minLength: 1, maxLength: 500, examples: ['carrier took messages twice'] }),
      before: Type.Optional(Moment('Left out: now.')),
    }),
    answer: Type.Object(Hold),
    run: holdSet,
  }),
  endpoint({
    useCase: 'hold.resolve',
    method: 'POST',
    path: '/hold/resolve',
    summary: 'Decides about held messages; the hold itself stays',
    body: Type.Object(
      {
        as: Word(
          ['resend', 'unknown', 'refund'],
          '`resend`: dispatch them; `unknown`: charged, may have arrived; `refund`: failed, released.',
        ),
        account: Type.Optional(AccountId),
        from: Type.Optional(Moment('Accepted at or after it.')),
        to: Type.Optional(Moment('Accepted before it.')),
        state: Type.Optional(Word(['queued', 'sending'], 'Only those in this state.')),
        carrier: Type.Optional(CarrierName),
      },
      { examples: [{ as: 'resend', account: '1001' }] },
    ),
    answer: Type.Object({
      as: Type.String({ examples: ['resend'] }),
      resolved: Type.Integer(),
      byReceipt: Type.Integer({ description: 'Their receipts had come, so they needed no decision.' }),
      left: Type.Integer({ description: 'Still held.' }),
    }),
    statementTimeoutMs: HOLD_TIMEOUT_MS,
    run: holdResolve,
  }),
  endpoint({
    useCase: 'hold.release',
    method: 'POST',
    path: '/hold/release',
    summary: 'Ends the hold; messages that are still held are dispatched as usual',
    answer: Type.Object({ released: Type.Integer() }),
    statementTimeoutMs: HOLD_TIMEOUT_MS,
    run: holdRelease,
  }),
  endpoint({
    useCase: 'ledger.verify',
    method: 'POST',
    path: '/ledger/verify',
    summary: 'Recomputes every invariant of the ledger, without blocking anybody',
    description: 'It reads every message and every entry: of millions it takes minutes.',
    answer: Type.Object({
      isClean: Type.Boolean(),
      snapshotAt: Moment('All checks read the ledger of this moment.'),
      accounts: Type.Integer(),
      messages: Type.Integer(),
      journalEntries: Type.Integer(),
      sandboxes: Type.Integer(),
      checks: Type.Array(
        Type.Object({
          name: Type.String(),
          meaning: Type.String({ description: 'What must hold.' }),
          offenders: Type.Integer(),
          examples: Type.Array(
            Type.Object({ accountId: Type.Optional(Type.String()), subject: Type.String(), detail: Type.String() }),
          ),
        }),
      ),
    }),
    statementTimeoutMs: VERIFY_TIMEOUT_MS,
    run: ledgerVerify,
  }),
  endpoint({
    useCase: 'audit',
    method: 'GET',
    path: '/audit-log',
    summary: 'What operators changed, newest first',
    query: Type.Object({ ...AUDIT_FILTERS, ...PAGING }),
    answer: PageOf(
      Named(
        'AuditEntry',
        Type.Object({
          changeId: Type.String(),
          at: Moment('When.'),
          operator: Type.String({ examples: ['alice'] }),
          actor: Type.Record(Type.String(), Type.Unknown(), { description: 'From where, and by which command.' }),
          subject: Type.String({ description: 'What was changed.', examples: ['carrier'] }),
          subjectId: Type.String({ description: 'Which one.', examples: ['acme'] }),
          accountId: nullable(Type.String({ description: 'The account that it concerns.' })),
          accountName: nullable(AccountName),
          action: Type.String({ examples: ['update'] }),
          before: Change,
          after: Change,
        }),
      ),
    ),
    run: audit,
  }),
  endpoint({
    useCase: 'audit.export',
    method: 'GET',
    path: '/audit-log/export',
    summary: 'What operators changed, as a CSV file, newest first',
    description:
      'The columns `before` and `after` are JSON. The file is whole when the answer ends in order; a connection that ' +
      'breaks means that it is not.',
    query: Type.Object(AUDIT_FILTERS),
    media: 'text/csv',
    handle: async ({ query, database, reply }) => {
      const pieces = await auditExport(database, query);
      void reply.type('text/csv; charset=utf-8; header=present');
      void reply.header('content-disposition', 'attachment; filename="audit-log.csv"');
      return Readable.from(pieces);
    },
  }),
];
