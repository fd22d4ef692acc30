import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { MAGIC_NUMBERS } from '../../apps/carrier-simulator/magic-numbers.js';
import type { RunningSimulator } from '../../apps/carrier-simulator/simulator.js';
import { boundClient, simulator } from './harness.js';
import { COMMAND, messageIdOf, type RawClient, submitBody, uint16 } from './raw-client.js';
import { readReceipt, wordOf } from './read-receipt.js';

const to = (code: string) => ({ destination: `4477999000${code}`, tlvs: [[0x0204, uint16(77)]] as const });

async function bindOne(): Promise<{ running: RunningSimulator; raw: RawClient }> {
  const running = await simulator({ receiptDelayMs: 0, receiptRetryMs: 60_000 });
  return { running, raw: await boundClient(running) };
}

async function statuses(raw: RawClient, code: string, tries: number): Promise<number[]> {
  const found: number[] = [];
  for (let count = 0; count < tries; count++) found.push((await raw.submit(to(code))).status);
  return found;
}

/** Submits, and waits until so many receipts have come. */
async function receiptsOf(raw: RawClient, code: string, count: number) {
  const id = messageIdOf(await raw.submit(to(code)));
  await raw.until(() => raw.deliveries.length === count);
  return { id, receipts: raw.deliveries.map(readReceipt) };
}

describe('a magic destination', () => {
  test.each([
    ['01', [0x0b, 0x0b]],
    ['02', [0x08, 0, 0x08, 0]],
    ['03', [0x58, 0x58, 0x58, 0, 0x58]],
    ['04', [0x14, 0, 0x14]],
    ['05', [0x08, 0x08, 0x08]],
  ])('999000%s answers the statuses %j, and receipts what it took', async (code, expected) => {
    const { running, raw } = await bindOne();
    expect(await statuses(raw, code, expected.length)).toEqual(expected);
    const taken = expected.filter((status) => status === 0).length;
    await raw.until(() => raw.deliveries.length === taken);
    expect(running.records.submits.map(({ isTaken }) => isTaken)).toEqual(expected.map((status) => status === 0));
  });

  test('99900010 answers after 2 s', async () => {
    const { raw } = await bindOne();
    const start = performance.now();
    expect(await raw.submit(to('10'))).toMatchObject({ status: 0 });
    expect(performance.now() - start).toBeGreaterThanOrEqual(1_990);
  });

  test('99900011 is never answered nor receipted, and the bind stays usable', async () => {
    const { running, raw } = await bindOne();
    const lost = raw.post(COMMAND.submit, submitBody(to('11')));
    expect((await receiptsOf(raw, '99', 1)).receipts).toHaveLength(1);
    expect(raw.received.some(({ sequence, command }) => sequence === lost && command !== COMMAND.deliver)).toBe(false);
    await running.records.until(() => running.pendingReceipts === 0);
    expect(running.counters.receiptsSent).toBe(1);
    expect(running.records.submits[0]).toMatchObject({ status: undefined, isTaken: false, messageId: undefined });
  });

  test('99900012 is never answered, but its receipt comes with the reference', async () => {
    const { running, raw } = await bindOne();
    raw.post(COMMAND.submit, submitBody(to('12')));
    await raw.until(() => raw.deliveries.length === 1);
    expect(raw.deliveries.map(readReceipt)[0]?.tlvs.get(0x0204)).toEqual(uint16(77));
    expect(raw.received.filter(({ command }) => command === 0x8000_0004)).toEqual([]);
    expect(running.records.submits[0]).toMatchObject({ status: undefined, isTaken: true });
  });

  test('99900013 is lost once and taken on the second try', async () => {
    const { running, raw } = await bindOne();
    const lost = raw.post(COMMAND.submit, submitBody(to('13')));
    expect(await raw.submit(to('13'))).toMatchObject({ status: 0 });
    expect(raw.received.some(({ sequence, command }) => sequence === lost && command === 0x8000_0004)).toBe(false);
    expect(running.records.submits.map(({ isTaken }) => isTaken)).toEqual([false, true]);
  });

  test.each([
    ['14', false, 1],
    ['15', true, 2],
  ])('999000%s drops the connection before the response once, taken: %s', async (code, isTaken, receipts) => {
    const { running, raw } = await bindOne();
    raw.post(COMMAND.submit, submitBody(to(code)));
    await raw.until(() => raw.isClosed);
    expect(raw.received.map(({ command }) => command)).toEqual([0x8000_0009]);
    const again = await boundClient(running);
    expect(await again.submit(to(code))).toMatchObject({ status: 0 });
    await again.until(() => again.deliveries.length === receipts);
    expect(running.records.submits.map((submit) => submit.isTaken)).toEqual([isTaken, true]);
  });

  test('99900016 drops the connection after the response; the receipt follows to the next bind', async () => {
    const { running, raw } = await bindOne();
    const id = messageIdOf(await raw.submit(to('16')));
    await raw.until(() => raw.isClosed);
    const again = await boundClient(running);
    await again.until(() => again.deliveries.length === 1);
    expect(again.deliveries.map((delivery) => wordOf(readReceipt(delivery), 'id'))).toEqual([id]);
  });

  test("99900017 has an empty message_id in its response, and the carrier's own in its receipt", async () => {
    const { running, raw } = await bindOne();
    const { id, receipts } = await receiptsOf(raw, '17', 1);
    expect(id).toBe('');
    expect(receipts.map((receipt) => wordOf(receipt, 'id'))).toEqual([running.records.submits[0]?.messageId]);
  });

  test.each([
    ['20', 'UNDELIV', 5],
    ['21', 'EXPIRED', 3],
    ['22', 'REJECTD', 8],
    ['23', 'DELETED', 4],
    ['24', 'UNKNOWN', 7],
    ['25', 'UNDELIV', 5],
  ])('999000%s is receipted %s', async (code, stat, state) => {
    const { raw } = await bindOne();
    const { id, receipts } = await receiptsOf(raw, code, 1);
    expect(receipts.map((receipt) => [wordOf(receipt, 'id'), wordOf(receipt, 'stat'), wordOf(receipt, 'err')])).toEqual(
      [[id, stat, '001']],
    );
    expect(receipts[0]?.tlvs.get(0x0427)).toEqual(Buffer.from([state]));
  });

  test.each([
    ['25', ['1 DELIVRD', '2 DELIVRD', '3 UNDELIV']],
    ['37', ['3 DELIVRD', '2 DELIVRD', '1 DELIVRD']],
  ])('999000%s receipts three segments as %j', async (code, expected) => {
    const { running, raw } = await bindOne();
    for (const part of [1, 2, 3]) {
      const userData = Buffer.concat([Buffer.from([5, 0, 3, 9, 3, part]), Buffer.from('text')]);
      await raw.submit({ ...to(code), esmClass: 0x40, userData });
      if (code === '25') await raw.until(() => raw.deliveries.length === part);
    }
    await raw.until(() => raw.deliveries.length === 3);
    const parts = new Map(running.records.submits.map((submit) => [submit.messageId, submit.concatenation?.part]));
    expect(running.records.receipts.map(({ messageId, state }) => `${parts.get(messageId)} ${state}`)).toEqual(
      expected,
    );
  });

  test('99900030 is receipted 5 s late', async () => {
    const { raw } = await bindOne();
    const start = performance.now();
    await receiptsOf(raw, '30', 1);
    expect(performance.now() - start).toBeGreaterThanOrEqual(4_990);
  });

  test('99900031 is receipted three times', async () => {
    const { raw } = await bindOne();
    const { id, receipts } = await receiptsOf(raw, '31', 3);
    expect(receipts.map((receipt) => [wordOf(receipt, 'id'), wordOf(receipt, 'stat')])).toEqual(
      Array(3).fill([id, 'DELIVRD']),
    );
  });

  test('99900032 is receipted before it is answered', async () => {
    const { raw } = await bindOne();
    await receiptsOf(raw, '32', 1);
    expect(raw.received.map(({ command }) => command)).toEqual([0x8000_0009, COMMAND.deliver, 0x8000_0004]);
  });

  test('99900033 has no receipt', async () => {
    const { running, raw } = await bindOne();
    expect(await raw.submit(to('33'))).toMatchObject({ status: 0 });
    expect(running.pendingReceipts).toBe(0);
  });

  test('99900034 is receipted with garbage', async () => {
    const { raw } = await bindOne();
    const { id, receipts } = await receiptsOf(raw, '34', 1);
    expect(receipts[0]?.text).not.toContain('id:');
    expect(receipts[0]?.text).not.toContain(id);
    expect(receipts[0]?.tlvs.size).toBe(0);
  });

  test('99900035 is receipted for an id that nobody was given', async () => {
    const { running, raw } = await bindOne();
    const { receipts } = await receiptsOf(raw, '35', 1);
    const given = running.records.submits.map(({ messageId }) => messageId);
    const [about] = receipts.map((receipt) => wordOf(receipt, 'id'));
    expect(about).toMatch(/^\d+$/);
    expect(given).not.toContain(about);
    expect(receipts[0]?.tlvs.has(0x0204)).toBe(false);
  });

  test.each([
    ['36', ['ENROUTE', 'DELIVRD']],
    ['38', ['DELIVRD', 'UNDELIV']],
  ])('999000%s is receipted %j, in this order', async (code, expected) => {
    const { raw } = await bindOne();
    const { id, receipts } = await receiptsOf(raw, code, 2);
    expect(receipts.map((receipt) => [wordOf(receipt, 'id'), wordOf(receipt, 'stat')])).toEqual(
      expected.map((stat) => [id, stat]),
    );
  });

  test.each([
    ['447799900001', 0x0b],
    ['12099900001', 0x0b],
    ['99900001', 0x0b],
    ['4477999000010', 0],
    ['447799000001', 0],
  ])('is told by its last eight digits under any country code: %s', async (destination, status) => {
    const { raw } = await bindOne();
    expect(await raw.submit({ destination })).toMatchObject({ status });
  });

  test('is ordinary when magic numbers are off', async () => {
    const running = await simulator({ magicNumbers: false });
    expect(await (await boundClient(running)).submit(to('01'))).toMatchObject({ status: 0 });
  });

  test('has its line in docs/simulator.md, and no line is left over', () => {
    const page = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');
    const lines = [...page.matchAll(/^\| `999000(\d\d)` \| (.+?) *\|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(Object.fromEntries(lines)).toEqual(
      Object.fromEntries(Object.entries(MAGIC_NUMBERS).map(([code, { meaning }]) => [code, meaning])),
    );
  });
});
