import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countSegments, encodingOf } from '#billing';
import { fuzz } from '../support/fuzz.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { numberOf, TestService, UNIT_PRICE } from '../support/service.js';

const STANDARD = 'abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 @$_£¥§¤¡¿!"#%&()*+,-.:;<=>?\r\n';
const EXTENDED = ['ä', 'ñ', '€', '’', '—', 'я', '漢', '🙂', '👩‍🚀', '🇸🇪', ' ', 'a'];

const standardText = fc.string({ unit: fc.constantFrom(...STANDARD), minLength: 1, maxLength: 700 });
const extendedText = fc.string({ unit: fc.constantFrom(...EXTENDED), minLength: 1, maxLength: 260 });

describe('what is billed is what is sent', () => {
  let service: TestService;
  let sent = 0;
  beforeAll(async () => {
    service = await TestService.start({
      backEnd: CHEAPEST_BACK_END,
      simulator: { latencyMs: 1 },
      carrier: { windowSize: 7 },
    });
  });
  afterAll(() => service.close());

  /** Sends texts, each to a number of its own, and joins what the handset got, as a handset does. */
  async function sendAndJoin(texts: readonly string[]) {
    const first = sent;
    sent += texts.length;
    const messages = texts.map((message, index) => ({ recipient: numberOf(first + index), message }));
    const ids = await service.sendBatch(messages);
    await service.untilStatuses({ delivered: sent });
    const listed = await service.messages();
    return texts.map((text, index) => {
      const { recipient } = messages[index] ?? { recipient: '' };
      const submits = service.simulator.records.submits.filter(({ destination }) => destination.value === recipient);
      return {
        text,
        joined: joined(submits),
        pieces: submits.length,
        references: new Set(submits.map(({ concatenation }) => concatenation?.reference)).size,
        amount: listed.get(ids[index] ?? '')?.amount,
      };
    });
  }

  function expectAsBilled(results: Awaited<ReturnType<typeof sendAndJoin>>): void {
    for (const { text, joined: got, pieces, references, amount } of results) {
      expect(got).toBe(text);
      expect(pieces).toBe(countSegments(text, encodingOf(text)));
      expect(references).toBe(1);
      expect(amount).toBe((Number(UNIT_PRICE) * pieces) / 1_000_000);
    }
  }

  test('at every length where a segment begins, and at the longest', async () => {
    const lengths = [1, 153, 154, 160, 161, 306, 307, 459, 2_000, 39_015];
    const units = [1, 70, 71, 126, 127, 16_065];
    const standard = lengths.map((length) => 'The quick brown fox @ 5 pounds. '.repeat(1_300).slice(0, length));
    const extended = units.map((length) =>
      'Grüße aus Köln. '
        .repeat(1_100)
        .slice(0, length - 1)
        .concat('é'),
    );
    expectAsBilled(await sendAndJoin([...standard, ...extended]));
  });

  test('with emoji across every boundary', async () => {
    const texts = Array.from({ length: 8 }, (_, offset) => `${'x'.repeat(offset)}${'🙂👩‍🚀'.repeat(40)}`);
    expectAsBilled(await sendAndJoin(texts));
  });

  test('whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(standardText, extendedText), { minLength: 12, maxLength: 12 }),
        async (texts) => expectAsBilled(await sendAndJoin(texts.map((text) => (text.trim() === '' ? 'a' : text)))),
      ),
      fuzz(3),
    );
  });

  test('several long messages to one handset are not joined to each other', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(200).slice(0, 400));
    sent += texts.length;
    await service.sendBatch(texts.map((message) => ({ recipient: '4915112345678', message })));
    await service.untilStatuses({ delivered: sent });
    const submits = service.simulator.records.submits.filter(
      ({ destination }) => destination.value === '4915112345678',
    );
    const byReference = new Map<number | undefined, (typeof submits)[number][]>();
    for (const submit of submits) {
      const reference = submit.concatenation?.reference;
      byReference.set(reference, [...(byReference.get(reference) ?? []), submit]);
    }
    expect([...byReference.values()].map(joined).sort()).toEqual([...texts].sort());
  });
});

function joined(submits: readonly { text: string | undefined; concatenation: { part: number } | undefined }[]): string {
  const inOrder = [...submits].sort((a, b) => (a.concatenation?.part ?? 0) - (b.concatenation?.part ?? 0));
  return inOrder.map(({ text }) => text).join('');
}
