import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunningSimulator } from '../../apps/carrier-simulator/simulator.js';
import { simulator } from './harness.js';

type Fields = Readonly<Record<string, unknown>>;
interface ForeignPdu {
  readonly command_status: number;
  readonly message_id?: string;
  readonly short_message?: { readonly message: string };
  readonly receipted_message_id?: string;
  readonly message_state?: number;
  readonly user_message_reference?: number;
  readonly esm_class?: number;
  response(): ForeignPdu;
}
interface ForeignSession extends EventEmitter {
  bind_transceiver(fields: Fields, done: (pdu: ForeignPdu) => void): void;
  submit_sm(fields: Fields, done: (pdu: ForeignPdu) => void): void;
  enquire_link(done: (pdu: ForeignPdu) => void): void;
  unbind(done: (pdu: ForeignPdu) => void): void;
  send(pdu: ForeignPdu): void;
  destroy(): void;
}
// The package has no types; a require with a local interface keeps them to this file.
const smpp = createRequire(import.meta.url)('smpp') as { connect(options: Fields): ForeignSession };

const sessions: ForeignSession[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
});

async function bound(running: RunningSimulator) {
  const session = smpp.connect({ host: running.host, port: running.port, noDelay: true });
  sessions.push(session);
  const receipts: ForeignPdu[] = [];
  session.on('error', () => undefined);
  session.on('deliver_sm', (pdu: ForeignPdu) => {
    receipts.push(pdu);
    session.send(pdu.response());
  });
  const answer = await new Promise<ForeignPdu>((resolve) => {
    session.bind_transceiver({ system_id: 'foreign', password: 'secret' }, resolve);
  });
  const submit = (fields: Fields) => new Promise<ForeignPdu>((resolve) => session.submit_sm(fields, resolve));
  return { session, receipts, answer, submit };
}

describe('a client of another make (npm smpp)', () => {
  test('binds, submits, gets a receipt that it can read, acknowledges it, and unbinds', async () => {
    const running = await simulator({ receiptDelayMs: 10 });
    const { session, receipts, answer, submit } = await bound(running);
    expect(answer.command_status).toBe(0);
    const sent = await submit({
      source_addr_ton: 5,
      source_addr: 'Heliograph',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '447700900123',
      registered_delivery: 1,
      data_coding: 0,
      short_message: Buffer.from('Hello'),
      user_message_reference: 4711,
    });
    expect(sent.command_status).toBe(0);
    await running.records.until(({ receipts: [first] }) => first?.acknowledgedStatus === 0);
    expect(receipts).toEqual([
      expect.objectContaining({
        esm_class: 4,
        receipted_message_id: sent.message_id,
        message_state: 2,
        user_message_reference: 4711,
        short_message: { message: expect.stringMatching(`^id:${sent.message_id} sub:001 .* stat:DELIVRD`) },
      }),
    ]);
    expect(running.records.submits[0]).toMatchObject({ text: 'Hello', userMessageReference: 4711 });
    await new Promise((resolve) => session.enquire_link(resolve));
    await new Promise((resolve) => session.unbind(resolve));
    await running.records.until(({ events }) => events.some(({ kind }) => kind === 'closed'));
  });

  test('is understood in UTF-16 with a concatenation header, in sar parameters and in a payload', async () => {
    const running = await simulator();
    const { submit } = await bound(running);
    const destination_addr = '447700900123';
    await submit({
      destination_addr,
      esm_class: 0x40,
      data_coding: 8,
      short_message: Buffer.concat([Buffer.from('050003070201', 'hex'), Buffer.from('Grüß 😀', 'utf16le').swap16()]),
    });
    await submit({
      destination_addr,
      short_message: Buffer.from('part'),
      sar_msg_ref_num: 300,
      sar_total_segments: 2,
      sar_segment_seqnum: 2,
    });
    await submit({ destination_addr, short_message: Buffer.alloc(0), message_payload: Buffer.from('whole text') });
    expect(running.records.submits).toMatchObject([
      { text: 'Grüß 😀', concatenation: { reference: 7, total: 2, part: 1, by: 'udh8' } },
      { text: 'part', concatenation: { reference: 300, total: 2, part: 2, by: 'sar' } },
      { text: 'whole text', isPayload: true },
    ]);
  });

  test('reads a refusal without a body', async () => {
    const { submit } = await bound(await simulator());
    const answer = await submit({ destination_addr: '447799900001', short_message: Buffer.from('x') });
    expect(answer.command_status).toBe(0x0b);
  });
});
