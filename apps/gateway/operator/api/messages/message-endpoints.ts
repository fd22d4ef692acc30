import { Type } from '@sinclair/typebox';
import { ORDER_STATES, RECIPIENT_PATTERN } from '#billing';
import {
  batchCancel,
  MESSAGE_LIST_TIMEOUT_MS,
  messageCancel,
  messageList,
  messageShow,
  OPEN_MESSAGES_TIMEOUT_MS,
  receiptsUnmatched,
} from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import {
  AccountId,
  AccountName,
  CarrierName,
  Currency,
  Moment,
  Money,
  Named,
  nullable,
  PAGING,
  PAGING_BY_ID,
  PageOf,
  Word,
} from '../shapes.js';

const Id = Type.String({
  format: 'uuid',
  description: 'The id that the send was answered with.',
  examples: ['019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c'],
});
const State = Word(ORDER_STATES, 'What became of it.');
const Recipient = Type.String({ description: 'As the client wrote it.', examples: ['+46701234567'] });
const Text = Type.Optional(
  Type.String({ description: 'Only if it was asked for, which is recorded.', examples: ['Hello'] }),
);
const Label = Type.String({ minLength: 1, maxLength: 255, description: 'As the client sent it; give `account` too.' });

const FIELDS = {
  id: Id,
  accountId: AccountId,
  accountName: AccountName,
  test: Type.Boolean({ description: 'It was sent with a test key.' }),
  currency: Currency,
  recipient: Recipient,
  state: State,
  segmentCount: Type.Integer(),
  amount: Money('Its cost now.'),
  message: Text,
  createdAt: Moment('When it was accepted.'),
};
const Message = Named(
  'Message',
  Type.Object({
    ...FIELDS,
    carrier: nullable(CarrierName),
    carrierCode: nullable(
      Type.String({ description: "The carrier's code, or a reason of ours.", examples: ['NO_ROUTE'] }),
    ),
    sentAt: nullable(Moment('When a carrier had all of it.')),
    finalAt: nullable(Moment('When it became final.')),
  }),
);
const MaybeCode = Type.Optional(Type.String({ examples: ['DELIVRD:000'] }));
const Segment = Type.Object({
  position: Type.Integer({ description: 'From 1.' }),
  isWhole: Type.Boolean({ description: 'It carried the whole message, as HTTP carriers take it.' }),
  state: Type.String({ examples: ['delivered'] }),
  attempt: Type.Integer(),
  carrier: Type.Optional(CarrierName),
  carrierMessageId: Type.Optional(Type.String()),
  carrierCode: MaybeCode,
  submittedAt: Moment('When it was handed to the carrier.'),
  acceptedAt: Type.Optional(Moment('When the carrier took it.')),
  settledAt: Type.Optional(Moment('When its receipt came.')),
});
const Transition = Type.Object({
  at: Moment('When.'),
  from: State,
  to: State,
  actor: Type.String({ description: 'Which part of the service did it.', examples: ['worker'] }),
  carrierCode: MaybeCode,
});
const Canceled = Type.Object({
  canceled: Type.Integer(),
  notCanceled: Type.Integer({ description: 'A carrier has them, or may have them, or they have ended.' }),
  released: Money('What was given back.'),
});

export const MESSAGE_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'message.list',
    method: 'GET',
    path: '/messages',
    summary: 'Lists messages of all accounts, newest first, without their texts',
    description: '`texts=true` shows the texts, and is recorded in the audit log.',
    query: Type.Object({
      account: Type.Optional(AccountId),
      recipient: Type.Optional(Type.String({ maxLength: 40, pattern: RECIPIENT_PATTERN, examples: ['+46701234567'] })),
      state: Type.Optional(State),
      carrier: Type.Optional(CarrierName),
      reference: Type.Optional(Label),
      tag: Type.Optional(Label),
      since: Type.Optional(Moment('Accepted at or after it.')),
      until: Type.Optional(Moment('Accepted before it.')),
      test: Type.Optional(Type.Boolean({ description: 'Those of test keys, which are left out otherwise.' })),
      texts: Type.Optional(Type.Boolean({ description: 'With the texts.' })),
      ...PAGING_BY_ID,
    }),
    answer: PageOf(Message),
    statementTimeoutMs: MESSAGE_LIST_TIMEOUT_MS,
    mayUse: ({ query: { texts } }) => (texts === true ? 'message.read-text' : undefined),
    run: messageList,
  }),
  endpoint({
    useCase: 'message.show',
    method: 'GET',
    path: '/messages/:id',
    summary: 'A message, its segments and every change of its state',
    description: '`text=true` shows the text, and is recorded in the audit log.',
    params: Type.Object({ id: Id }),
    query: Type.Object({ text: Type.Optional(Type.Boolean({ description: 'With the text.' })) }),
    answer: Named(
      'MessageDetails',
      Type.Object({
        ...FIELDS,
        sequence: Type.Integer({ description: 'Its number among the messages of the account.' }),
        encoding: Word(['standard', 'extended'], 'Of its text.'),
        isTextRemoved: Type.Boolean({ description: 'Its text is no longer kept.' }),
        price: Money('As it was accepted.'),
        attempts: Type.Integer(),
        carrier: Type.Optional(CarrierName),
        carrierCode: MaybeCode,
        sendAt: Type.Optional(Moment('For which it was scheduled.')),
        sender: Type.Optional(Type.String({ description: 'Of its own.' })),
        validUntil: Moment('After it, it fails unless a carrier has it.'),
        dueAt: Type.Optional(Moment('When the service looks at it next.')),
        sentAt: Type.Optional(Moment('When a carrier had all of it.')),
        finalAt: Type.Optional(Moment('When it became final.')),
        reference: Type.Optional(Type.String({ description: 'As the client calls it.' })),
        tag: Type.Optional(Type.String()),
        segments: Type.Array(Segment),
        transitions: Type.Array(Transition),
      }),
    ),
    isRecorded: true,
    mayUse: ({ query: { text } }) => (text === true ? 'message.read-text' : undefined),
    run: messageShow,
  }),
  endpoint({
    useCase: 'message.cancel',
    method: 'POST',
    path: '/messages/:id/cancel',
    summary: 'Cancels a message that no carrier has, and gives its charge back',
    params: Type.Object({ id: Id }),
    answer: Canceled,
    run: messageCancel,
  }),
  endpoint({
    useCase: 'batch.cancel',
    method: 'POST',
    path: '/batches/:batchId/cancel',
    summary: 'Cancels what it can of a batch, and gives the charges back',
    params: Type.Object({ batchId: Id }),
    answer: Canceled,
    statementTimeoutMs: OPEN_MESSAGES_TIMEOUT_MS,
    run: batchCancel,
  }),
  endpoint({
    useCase: 'receipts.unmatched',
    method: 'GET',
    path: '/receipts/unmatched',
    summary: 'Receipts for messages that are not known, newest first',
    query: Type.Object({ carrier: Type.Optional(CarrierName), ...PAGING }),
    answer: PageOf(
      Named(
        'UnmatchedReceipt',
        Type.Object({
          carrier: nullable(CarrierName),
          carrierMessageId: Type.String(),
          reference: nullable(Type.Integer({ description: 'The `user_message_reference` that the carrier repeated.' })),
          destination: Type.String({ examples: ['46701234567'] }),
          state: Word(['delivered', 'undelivered'], 'What it says.'),
          code: Type.String(),
          receivedAt: Moment('When it came.'),
        }),
      ),
    ),
    run: receiptsUnmatched,
  }),
];
