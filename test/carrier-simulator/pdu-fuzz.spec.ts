import { expect, test } from '@jest/globals';
import { FrameReader } from '../../apps/carrier-simulator/frame-reader.js';
import { PduError } from '../../apps/carrier-simulator/pdu-error.js';
import { readBind } from '../../apps/carrier-simulator/read-bind.js';
import { readSubmit } from '../../apps/carrier-simulator/read-submit.js';
import { FUZZ_TIMEOUT_MS, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { HostilePdus, seeded } from '../support/hostile-pdus.js';
import { usedBytes } from '../support/memory.js';
import { boundClient, simulator } from './harness.js';
import { bindBody, COMMAND, cString, RESPONSE, submitBody, uint16 } from './raw-client.js';

/** `FUZZ_RUNS` PDUs where that is set; `FUZZ_SEED` repeats what a failure printed. */
const PDUS = fuzzRuns(5_000);
const GROWTH_BYTES_MAX = 24 * 1024 * 1024;
const UDH = Buffer.from([5, 0, 3, 7, 2, 1]);

const GOOD: readonly (readonly [number, Buffer])[] = [
  [COMMAND.submit, submitBody()],
  [COMMAND.submit, submitBody({ esmClass: 0x40, userData: Buffer.concat([UDH, Buffer.from('part one')]) })],
  [COMMAND.submit, submitBody({ dataCoding: 8, userData: Buffer.from('hallå', 'utf16le').swap16() })],
  [COMMAND.submit, submitBody({ userData: Buffer.alloc(0), tlvs: [[0x0424, Buffer.from('payload')]] })],
  [COMMAND.submit, submitBody({ validityPeriod: '000001000000000R', tlvs: [[0x0204, uint16(5)]] })],
  [COMMAND.submit, submitBody({ destination: '46799900012', tlvs: [[0x020c, uint16(1)]] })],
  [COMMAND.bindTransceiver, bindBody('test', 'secret')],
  [COMMAND.deliver + RESPONSE, cString('')],
  [COMMAND.enquireLink, Buffer.alloc(0)],
];

test(
  'octets of a client gone mad are a submit, a bind, or one known error to the simulator',
  () => {
    const seed = fuzzSeed();
    const hostile = new HostilePdus(seeded(seed), GOOD);
    let reader = new FrameReader();
    let read = 0;
    for (let written = 0; written < PDUS; written += 1) {
      const { bytes, keepsFraming } = hostile.next(50);
      try {
        for (const piece of hostile.cut(bytes)) {
          reader.push(piece, (pdu) => {
            read += 1;
            for (const decode of [readSubmit, readBind]) {
              try {
                decode(pdu);
              } catch (error) {
                if (!(error instanceof PduError)) throw new Error(`FUZZ_SEED=${seed} fails`, { cause: error });
              }
            }
            return true;
          });
        }
        if (!keepsFraming) reader = new FrameReader();
      } catch (error) {
        if (!(error instanceof PduError) || keepsFraming) throw new Error(`FUZZ_SEED=${seed} fails`, { cause: error });
        reader = new FrameReader();
      }
    }
    expect(read).toBeGreaterThan(PDUS * 0.9);
  },
  FUZZ_TIMEOUT_MS,
);

test(
  'whatever a client writes, the simulator answers it or hangs up, keeps none of it, and serves the next',
  async () => {
    const seed = fuzzSeed();
    const hostile = new HostilePdus(seeded(seed), GOOD, [COMMAND.unbind, COMMAND.unbind + RESPONSE]);
    const running = await simulator({ receipts: 'off', keepRecords: false });
    let client = await boundClient(running);
    const before = usedBytes();
    let probe = 0x5eed_0000;
    for (let written = 0; written < PDUS; ) {
      if (client.isClosed) client = await boundClient(running);
      const current = client;
      current.received.length = 0;
      let isFramed = true;
      for (let count = 0; count < 50 && isFramed; count += 1, written += 1) {
        const { bytes, keepsFraming } = hostile.next(400);
        for (const piece of hostile.cut(bytes)) current.write(piece);
        isFramed = keepsFraming;
      }
      // A length that could be, with nothing behind it, waits for its octets, as it has to.
      if (!isFramed) current.write(Buffer.alloc(70_000));
      const answered = ++probe;
      current.write(header(COMMAND.enquireLink, answered));
      try {
        await current.until(() => current.isClosed || current.received.some(({ sequence }) => sequence === answered));
      } catch (error) {
        throw new Error(`FUZZ_SEED=${seed} leaves the simulator deaf`, { cause: error });
      }
      if (!current.isClosed) expect((await current.submit()).sequence).toBeGreaterThan(0);
    }
    expect(await (await boundClient(running)).submit()).toMatchObject({ status: 0 });
    client.close();
    expect(usedBytes() - before).toBeLessThan(GROWTH_BYTES_MAX);
  },
  FUZZ_TIMEOUT_MS,
);

function header(command: number, sequence: number): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, value] of [16, command, 0, sequence].entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
