import assert from 'node:assert/strict';
import type { OutboundSegment, SmppCarrierSettings } from '#carrier';
import { TestCarrier } from '../../test/support/test-carrier.js';
import { until } from '../../test/support/until.js';
import type { ForeignServer, Seen } from './foreign-server.js';

/** Throws when an SMPP server does not understand something of ours, or we of it. */
export type Prove = (server: ForeignServer) => Promise<void>;
/** What is proved, and how. */
export type Proof = readonly [what: string, prove: Prove];

/** What the servers do for destinations that end so. */
const DESTINATION = {
  plain: '46700100200',
  refused: '46700100011',
  throttled: '46700100058',
  dataReceipt: '46700100103',
  textReceipt: '46700100104',
  unbinds: '46700100106',
  enquires: '46700100115',
} as const;

const PART = { reference: 0xab, number: 2, total: 3 };
const STANDARD = 'Hi @ $1 for £2_';
const STANDARD_GSM = Buffer.from('Hi \x00 \x021 for \x012\x11', 'latin1').toString('hex');
const EXTENDED = 'grüße ж 😀';
const EXTENDED_HEX = Buffer.from(EXTENDED, 'utf16le').swap16().toString('hex');

const PROVE: Readonly<Record<string, Prove>> = {
  bind: (server) =>
    withCarrier(server, { systemType: 'VMA', addressRange: '^4670' }, async () => {
      assertHolds(server.of('bind_transceiver').at(-1), {
        system_id: 'esme',
        password: 'secret',
        system_type: 'VMA',
        interface_version: 0x34,
        address_range: '^4670',
      });
    }),
  'transmitter and receiver': (server) =>
    withCarrier(server, { bindMode: 'transmitter+receiver' }, async (subject) => {
      await until('both binds', () => subject.carrier.bindStates.every(({ state }) => state === 'bound'));
      assert.equal((await subject.submit()).kind, 'accepted');
    }),
  'wrong password': refusesWrongPassword,
  async 'standard text'(server) {
    const seen = await submitted(server, {}, { text: STANDARD });
    assertHolds(seen, { short_message: STANDARD_GSM, data_coding: 0, esm_class: 0, registered_delivery: 1 });
    assertHolds(seen, { user_message_reference: 7, destination_addr: DESTINATION.plain, dest_addr_ton: 1 });
  },
  async 'extended text'(server) {
    const seen = await submitted(server, {}, { text: EXTENDED, encoding: 'extended' });
    assertHolds(seen, { short_message: EXTENDED_HEX, data_coding: 8 });
  },
  async senders(server) {
    const forms = [
      ['Shop', 5, 0, 'Shop'],
      ['+46700100300', 1, 1, '46700100300'],
      ['72000', 3, 0, '72000'],
    ] as const;
    for (const [sender, ton, npi, address] of forms) {
      const expected = { source_addr_ton: ton, source_addr_npi: npi, source_addr: address };
      assertHolds(await submitted(server, {}, { sender }), expected);
    }
  },
  async 'validity, service type'(server) {
    const seen = await submitted(server, { validityPeriodSeconds: 86_400, serviceType: 'VMA' }, {});
    assertHolds(seen, { validity_period: '000001000000000R', service_type: 'VMA' });
    const short = await submitted(server, { validityPeriodSeconds: 86_400 }, { validitySeconds: 600 });
    assertHolds(short, { validity_period: '000000001000000R' });
  },
  async 'long: udh8'(server) {
    const seen = await submitted(server, {}, { text: 'y'.repeat(153), part: PART });
    assertHolds(seen, { esm_class: 0x40, short_message: `050003ab0302${'79'.repeat(153)}` });
  },
  async 'long: udh16'(server) {
    const segment = { text: EXTENDED, encoding: 'extended', part: PART } as const;
    const seen = await submitted(server, { concatenation: 'udh16' }, segment);
    assertHolds(seen, { esm_class: 0x40, short_message: `06080400ab0302${EXTENDED_HEX}` });
  },
  async 'long: sar'(server) {
    const seen = await submitted(server, { concatenation: 'sar' }, { text: 'y'.repeat(153), part: PART });
    assertHolds(seen, { esm_class: 0, short_message: '79'.repeat(153) });
    assertHolds(seen, { sar_msg_ref_num: 0xab, sar_total_segments: 3, sar_segment_seqnum: 2 });
  },
  async 'long: payload'(server) {
    const seen = await submitted(server, { concatenation: 'payload' }, { text: 'y'.repeat(1_000) });
    assertHolds(seen, { esm_class: 0, short_message: '', message_payload: '79'.repeat(1_000) });
  },
  'receipt: deliver_sm': (server) => receiptOf(server, DESTINATION.textReceipt, 'deliver_sm_resp', 'delivered'),
  'receipt: data_sm': (server) => receiptOf(server, DESTINATION.dataReceipt, 'data_sm_resp', 'undelivered'),
  refusal: (server) =>
    withCarrier(server, {}, async (subject) => {
      const outcome = await subject.submit({ destination: DESTINATION.refused });
      assert.deepEqual(outcome, { kind: 'refused', code: 'ESME_RINVDSTADR' });
    }),
  throttling: (server) =>
    withCarrier(server, {}, async (subject) => {
      const outcome = await subject.submit({ destination: DESTINATION.throttled });
      assert.deepEqual(outcome, { kind: 'throttled', code: 'ESME_RTHROTTLED' });
      assert.equal((await subject.submit()).kind, 'accepted');
    }),
  'enquire_link, both ways': (server) =>
    withCarrier(server, { enquireLinkIntervalMs: 50, enquireLinkTimeoutMs: 5_000 }, async (subject) => {
      const [asked, answered] = ['enquire_link', 'enquire_link_resp'].map((event) => server.of(event).length);
      await until('three answered', () => server.of('enquire_link').length >= Number(asked) + 3);
      await subject.submit({ destination: DESTINATION.enquires });
      await until('theirs is answered', () => server.of('enquire_link_resp').length > Number(answered));
      assert.equal(subject.carrier.state, 'bound');
    }),
  'unbind by them': (server) =>
    withCarrier(server, {}, async (subject) => {
      const binds = server.of('bind_transceiver').length;
      await subject.submit({ destination: DESTINATION.unbinds });
      await until('a second bind', () => server.of('bind_transceiver').length > binds);
      await subject.untilBound();
      assert.equal((await subject.submit()).kind, 'accepted');
    }),
  async 'unbind by us'(server) {
    const unbinds = server.of('unbind').length;
    await withCarrier(server, {}, async () => undefined);
    await until('the unbind', () => server.of('unbind').length === unbinds + 1);
  },
};
export const PROOFS: readonly Proof[] = Object.entries(PROVE);

export async function refusesWrongPassword(server: { readonly port: number }): Promise<void> {
  const subject = new TestCarrier(server, { password: 'wrong', reconnectMinMs: 100, reconnectMaxMs: 60_000 });
  subject.carrier.start();
  const line = await until('an error', () => subject.logLines.find(({ level }) => level === 'error')).finally(() =>
    subject.carrier.close(0),
  );
  assertHolds(line.fields, { reason: 'the carrier refused the bind: ESME_RINVPASWD; check user and password' });
}

/** Runs with a carrier that is bound to the server, and lets it go cleanly. */
export async function withCarrier(
  server: { readonly port: number },
  settings: Partial<SmppCarrierSettings>,
  use: (subject: TestCarrier) => Promise<void>,
): Promise<void> {
  const subject = await TestCarrier.bound(server, { password: 'secret', ...settings });
  try {
    await use(subject);
  } finally {
    await subject.carrier.close(5_000);
  }
}

/** Submits one segment, which must be accepted, and gives what the server decoded of it. */
async function submitted(
  server: ForeignServer,
  settings: Partial<SmppCarrierSettings>,
  segment: Partial<OutboundSegment>,
): Promise<Seen> {
  const before = server.of('submit_sm').length;
  await withCarrier(server, settings, async (subject) => {
    const outcome = await subject.submit({ destination: DESTINATION.plain, ...segment });
    assert.equal(outcome.kind, 'accepted');
  });
  return until('the submit', () => server.of('submit_sm')[before]);
}

/** The receipt must name the submit and be acknowledged with ESME_ROK. */
async function receiptOf(server: ForeignServer, destination: string, response: string, state: string): Promise<void> {
  const before = server.of(response).length;
  await withCarrier(server, {}, async (subject) => {
    const outcome = await subject.submit({ destination });
    const receipt = await until('the receipt', () => subject.receipts[0]);
    assert.deepEqual(outcome, { kind: 'accepted', carrierMessageId: receipt.carrierMessageId });
    assertHolds(receipt, { destination, state });
    const answer = await until('the acknowledgement', () => server.of(response)[before]);
    assert.equal(answer.status, 0);
  });
}

function assertHolds(actual: object | undefined, expected: Readonly<Record<string, unknown>>): void {
  const fields: Readonly<Record<string, unknown>> = { ...actual };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(fields[name], value, name);
}
