import { Type } from '@sinclair/typebox';
import {
  carrierAdd,
  carrierList,
  carrierPause,
  carrierRemove,
  carrierResume,
  carrierSet,
  carrierShow,
  carrierTest,
  TEST_VALIDITY_SECONDS_MAX,
} from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { AccountId, CarrierName, Currency, Moment, Named, NOTES, nullable, OfCarrier, Word } from '../shapes.js';

/** With the texts of TLS files: the authorities that a system trusts are 220 KB. */
const BODY_BYTES_MAX = 512 * 1024;

const MessageId = Word(['as-is', 'hex-dec', 'dec-hex'], 'How ids in receipts differ from those in submit responses.');
const Alphabet = Word(['gsm0338', 'latin1'], 'What data_coding 0 means to the carrier.');
const InDoubt = Word(['resend', 'hold'], 'A segment without answer or receipt is sent again, or left unknown.');
const Window = Type.Integer({
  minimum: 1,
  description: 'Submits of each bind that may be unanswered.',
});
const Tps = Type.Integer({ minimum: 1, description: 'Submits a second, over all workers; null: no limit.' });
const Binds = Type.Integer({ minimum: 1, description: 'Binds of all workers together; null: one for each worker.' });

const SETTINGS = {
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: 'If it is not in the URL.' })),
  window: Type.Optional(Window),
  tps: Type.Optional(nullable(Tps)),
  binds: Type.Optional(nullable(Binds)),
  messageId: Type.Optional(MessageId),
  alphabet: Type.Optional(Alphabet),
  inDoubt: Type.Optional(InDoubt),
  simulator: Type.Optional(
    Type.Boolean({
      description: 'It reaches nobody: beside real carriers it takes only messages of routes that name it.',
    }),
  ),
  options: Type.Optional(
    Type.Record(Type.String({ maxLength: 40 }), Type.Union([Type.String(), Type.Boolean(), Type.Null()]), {
      description:
        'Options of the protocol, as `smsctl carrier add --help` has them (`--tls-ca-pem` is `tlsCaPem`, with the text of the file); null removes one.',
      examples: [{ systemType: 'VMA' }],
    }),
  ),
};
const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: '`smpp://USER@HOST:PORT`; `smpps://` for TLS; `https://` for an HTTP API.',
  examples: ['smpps://user@smpp.acme.example:3550'],
});

const LastError = Type.Object({ reason: Type.String(), at: Moment('When a connection ended or failed.') });
const FIELDS = {
  name: CarrierName,
  protocol: Word(['smpp', 'http', 'sandbox'], 'How it is reached.'),
  state: Word(
    ['bound', 'throttled', 'down', 'paused', 'excluded', 'unused'],
    '`excluded`: a simulator that takes nothing beside the real carriers; `unused`: no live worker has it.',
  ),
  workersBound: Type.Integer(),
  workers: Type.Integer(),
  bindsUp: Type.Integer({ description: 'Connections that are up.' }),
  bindsWanted: Type.Integer({ description: 'How many there should be.' }),
  waitingJobs: nullable(Type.Integer({ description: 'Jobs on its own queue, of up to 50 messages each.' })),
  lastError: nullable(LastError),
  segmentsPerSecond: Type.Integer({ description: 'That it took in the last seconds.' }),
  jobsPerSecond: Type.Number({ description: 'Of its queue, that all workers together ended in the last seconds.' }),
  paused: Type.Boolean(),
  simulator: Type.Boolean(),
  address: Type.String({ description: 'Without its password.', examples: ['smpps://user@smpp.acme.example:3550'] }),
  window: Window,
  tps: nullable(Tps),
  binds: nullable(Binds),
  messageId: MessageId,
  alphabet: Alphabet,
  inDoubt: InDoubt,
  options: Type.Record(Type.String(), Type.String(), { description: 'Secrets are shown as `(set)`.' }),
  createdAt: Moment('When it was added.'),
};
const Carrier = Named('Carrier', Type.Object(FIELDS));
const CarrierChanged = Named(
  'CarrierChanged',
  Type.Object({
    ...FIELDS,
    rereadReceipts: Type.Optional(
      Type.Integer({ description: 'Unmatched receipts that name a message by the new `messageId`.' }),
    ),
    notes: NOTES,
  }),
);

export const CARRIER_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'carrier.list',
    method: 'GET',
    path: '/carriers',
    summary: 'Lists the carriers and whether workers are bound to them',
    answer: Type.Array(Carrier),
    run: carrierList,
  }),
  endpoint({
    useCase: 'carrier.add',
    method: 'POST',
    path: '/carriers',
    summary: 'Adds a carrier',
    body: Type.Object({
      name: CarrierName,
      url: Url,
      paused: Type.Optional(Type.Boolean({ description: 'It connects and takes no messages until it is resumed.' })),
      ...SETTINGS,
    }),
    answer: CarrierChanged,
    status: 201,
    bodyBytesMax: BODY_BYTES_MAX,
    run: carrierAdd,
  }),
  endpoint({
    useCase: 'carrier.show',
    method: 'GET',
    path: '/carriers/:name',
    summary: 'Shows the settings of a carrier, and the binds of every worker',
    params: OfCarrier,
    answer: Type.Object({
      ...FIELDS,
      workerBinds: Type.Array(
        Type.Object({
          worker: Type.String(),
          role: Type.String({ examples: ['transceiver'] }),
          state: Type.String({ examples: ['bound'] }),
          boundSince: nullable(Type.String()),
        }),
      ),
      routes: Type.Array(Type.String(), { description: 'The prefixes whose routes name it.', examples: [['46']] }),
    }),
    run: carrierShow,
  }),
  endpoint({
    useCase: 'carrier.set',
    method: 'PATCH',
    path: '/carriers/:name',
    summary: 'Changes settings of a carrier; workers follow at once',
    params: OfCarrier,
    body: Type.Object({ url: Type.Optional(Url), ...SETTINGS }, { minProperties: 1 }),
    answer: CarrierChanged,
    bodyBytesMax: BODY_BYTES_MAX,
    run: carrierSet,
  }),
  endpoint({
    useCase: 'carrier.pause',
    method: 'POST',
    path: '/carriers/:name/pause',
    summary: 'Hands no more messages to a carrier; receipts still come',
    params: OfCarrier,
    answer: CarrierChanged,
    run: carrierPause,
  }),
  endpoint({
    useCase: 'carrier.resume',
    method: 'POST',
    path: '/carriers/:name/resume',
    summary: 'Hands messages to a paused carrier again',
    params: OfCarrier,
    answer: CarrierChanged,
    run: carrierResume,
  }),
  endpoint({
    useCase: 'carrier.remove',
    method: 'DELETE',
    path: '/carriers/:name',
    summary: 'Removes a carrier; its name may be used again',
    params: OfCarrier,
    query: Type.Object({
      withRoutes: Type.Optional(
        Type.Boolean({ description: 'Remove the routes that name it as well; else it is refused if there are any.' }),
      ),
    }),
    answer: Type.Object({ name: CarrierName, removed: Type.Literal(true), notes: NOTES }),
    run: carrierRemove,
  }),
  endpoint({
    useCase: 'carrier.test',
    method: 'POST',
    path: '/carriers/:name/test',
    summary: 'Sends one message by a carrier alone, also while the carrier is paused',
    description: 'It is followed as any other message, by `message.show`.',
    params: OfCarrier,
    body: Type.Object({
      recipient: Type.String({ minLength: 1, maxLength: 40, examples: ['+46701234567'] }),
      text: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
      accountId: Type.Optional(AccountId),
      validitySeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: TEST_VALIDITY_SECONDS_MAX,
          default: 60,
          description: 'A message that was not taken by then fails.',
        }),
      ),
    }),
    answer: Type.Object({
      messageId: Type.String({ examples: ['019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c'] }),
      carrier: CarrierName,
      paused: Type.Boolean({ description: 'The carrier takes nothing else now.' }),
      recipient: Type.String(),
      accountId: AccountId,
      currency: Currency,
      isFree: Type.Boolean({ description: 'Nobody pays: the account is for tests.' }),
    }),
    status: 202,
    run: carrierTest,
  }),
];
