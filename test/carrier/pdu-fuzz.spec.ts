import { describe, expect, test } from '@jest/globals';
import { decodeDelivery } from '../../libs/carrier/smpp/deliver-sm.js';
import { COMMAND, LostFramingError, PduFramer } from '../../libs/carrier/smpp/pdu.js';
import { parseReceipt } from '../../libs/carrier/smpp/receipt.js';
import { aCarrier } from '../support/a-carrier.js';
import { FUZZ_TIMEOUT_MS, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { HostilePdus, seeded } from '../support/hostile-pdus.js';
import { usedBytes } from '../support/memory.js';
import { cString, deliverBody, ID, pduBytes, tlv } from '../support/scripted-smsc.js';
import { until } from '../support/until.js';

/**
 * PDUs that no sane carrier writes, `FUZZ_RUNS` of them where that is set; `FUZZ_SEED` repeats what a failure printed.
 */
const PDUS = fuzzRuns(5_000);
/**
 * What may stay in use after any number of them: the room that a test and its logs take, not a share of what was sent.
 */
const GROWTH_BYTES_MAX = 24 * 1024 * 1024;

const RECEIPT =
  'id:0123456789 sub:001 dlvrd:001 submit date:2401011200 done date:2401011201 stat:DELIVRD err:000 text:Hi';
const GOOD: readonly (readonly [number, Buffer])[] = [
  [ID.deliver, deliverBody({ message: RECEIPT })],
  [
    ID.deliver,
    deliverBody({ message: RECEIPT, tlvs: [tlv(0x001e, cString('75BCD15')), tlv(0x0427, Buffer.from([2]))] }),
  ],
  [ID.deliver, deliverBody({ tlvs: [tlv(0x0424, Buffer.from(RECEIPT)), tlv(0x0204, Buffer.from([1, 2]))] })],
  [ID.deliver, deliverBody({ message: Buffer.from(RECEIPT.slice(0, 100), 'utf16le').swap16(), dataCoding: 8 })],
  [ID.submitResponse, cString('4711')],
  [ID.enquireLink, Buffer.alloc(0)],
  [ID.genericNack, Buffer.alloc(0)],
];
/** A carrier may end a bind; the sessions that these PDUs end say nothing about the others. */
const ENDS_THE_SESSION = [ID.unbind, ID.unbindResponse];

/** Runs with a seed that a failure names. */
async function withSeed(work: (seed: number) => void | Promise<void>): Promise<void> {
  const seed = fuzzSeed();
  try {
    await work(seed);
  } catch (error) {
    throw new Error(`FUZZ_SEED=${seed} fails`, { cause: error });
  }
}

describe('octets of a carrier gone mad', () => {
  test(
    'are PDUs or lost framing to the framer, receipts or one known error to the parser, and are not kept',
    () =>
      withSeed((seed) => {
        const hostile = new HostilePdus(seeded(seed), GOOD);
        let framer = new PduFramer();
        let read = 0;
        let framed = 0;
        const before = usedBytes();
        for (let written = 0; written < PDUS; written += 1) {
          const { bytes, keepsFraming } = hostile.next(50);
          if (keepsFraming) framed += 1;
          try {
            for (const piece of hostile.cut(bytes)) {
              framer.push(piece, (pdu) => {
                read += 1;
                readAsReceipt(pdu.body);
              });
            }
            if (!keepsFraming) framer = new PduFramer(); // A length that could be: it waits for what never comes.
          } catch (error) {
            if (!(error instanceof LostFramingError) || keepsFraming) throw error;
            framer = new PduFramer();
          }
        }
        expect(read).toBeGreaterThanOrEqual(framed);
        expect(usedBytes() - before).toBeLessThan(GROWTH_BYTES_MAX);
      }),
    FUZZ_TIMEOUT_MS,
  );

  test(
    'neither end the process nor deafen a session: it answers, or ends and is bound again, and its memory stays',
    () =>
      withSeed(async (seed) => {
        const { smsc, subject } = await aCarrier({
          enquireLinkIntervalMs: 60_000,
          reconnectMinMs: 1,
          reconnectMaxMs: 2,
        });
        const hostile = new HostilePdus(seeded(seed), GOOD, ENDS_THE_SESSION);
        // A probe that the seed cannot hit by chance: its answer proves that what came before it has been read.
        let probe = 0x5eed_0000;
        let ended = 0;
        const before = usedBytes();
        for (let written = 0; written < PDUS; ) {
          await until('the carrier is bound', () => subject.carrier.state === 'bound' && !smsc.connection.isClosed);
          const { connection } = smsc;
          let isFramed = true;
          for (let count = 0; count < 50 && isFramed; count += 1, written += 1) {
            const { bytes, keepsFraming } = hostile.next(400);
            for (const piece of hostile.cut(bytes)) connection.socket.write(piece);
            isFramed = keepsFraming;
          }
          // A length that could be, with nothing behind it: only silence tells, which enquire_link is for.
          if (!isFramed) connection.socket.write(Buffer.alloc(70_000));
          probe += 1;
          connection.socket.write(pduBytes(ID.enquireLink, 0, probe, Buffer.alloc(0)));
          const isAnswered = () =>
            smsc.seen.some(({ command, sequence }) => command === ID.enquireLinkResponse && sequence === probe);
          if (isFramed) {
            // A response may also say that the carrier no longer takes the bind for one, which ends it.
            await until('an answer, or the end of the session', () => isAnswered() || connection.isClosed);
            if (connection.isClosed) continue;
            expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
          } else {
            await until('the end of the session', () => connection.isClosed);
            ended += 1;
          }
          // What the specs remember is not what the service does.
          const { logLines, receipts, deliveries, states, submits } = subject;
          for (const memory of [smsc.seen, logLines, receipts, deliveries, states, submits]) memory.length = 0;
          smsc.connections.splice(0, smsc.connections.length - 1);
        }
        await until('the carrier is bound', () => subject.carrier.state === 'bound' && !smsc.connection.isClosed);
        expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
        if (PDUS >= 5_000) expect(ended).toBeGreaterThan(0);
        expect(usedBytes() - before).toBeLessThan(GROWTH_BYTES_MAX);
      }),
    FUZZ_TIMEOUT_MS,
  );
});

function readAsReceipt(body: Buffer): void {
  const deliver = decodeDelivery({ command: COMMAND.deliverSm, body });
  for (const format of ['as-is', 'hex-dec', 'dec-hex'] as const) {
    const receipt = deliver && parseReceipt(deliver, { messageIdFormat: format });
    if (receipt === undefined) continue;
    const isStorable =
      /^[\x21-\x7e]{1,40}$/.test(receipt.code) &&
      /^[0-9]*$/.test(receipt.destination) &&
      (receipt.carrierMessageId === undefined || /^[^\0-\x20\x7f-\xa0]{1,80}$/.test(receipt.carrierMessageId));
    if (!isStorable) throw new Error(`not storable: ${JSON.stringify(receipt)}`);
  }
}
