import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countText } from '../../apps/console/owner/compose/count-text.js';
import { findOffenders } from '../../apps/console/owner/compose/find-offenders.js';
import { SeededRandom } from '../../tools/harness/seeded-random.js';
import { FUZZ_TIMEOUT_MS, fuzzSeed } from '../support/fuzz.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

const TEXTS = 10_000;
const BATCH = 1_000;

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  // Some of the texts are long: the body of a batch may have 16 MB.
  gateway = await TestGateway.start({ settings: { BATCH_ENTRY_BYTES: '16384' } });
  account = await gateway.account();
});
afterAll(() => gateway.close());

interface QuotedText {
  readonly encoding: string;
  readonly length: number;
  readonly segments: number;
  readonly offendingCharacters: readonly { readonly position: number }[];
}

const PIECES = [
  'Hello Anna, your parcel is here. ',
  'abcdefghijklmnopqrstuvwxyz 0123456789 £5! ',
  'Å är här – “now”… ',
  'e\u0301 ',
  '€',
  '👍',
  '👨‍👩‍👧🇸🇪',
  '\u200b',
  '\n',
  '[/]{}~|^',
  'я',
  '我你',
];

/** A text of some of the pieces, cut anywhere. */
function randomText(random: SeededRandom): string {
  const kinds = random.chance(0.4) ? PIECES.slice(0, 2) : PIECES;
  const pieces = Array.from({ length: Math.ceil(random.next() ** 3 * 40) }, () => random.pick(kinds));
  const start = random.between(0, 20);
  // The service refuses blank texts and halves of pairs, so these have no quote.
  return `x${pieces.join('').slice(start)}`.toWellFormed();
}

test(
  'the counter says of 10,000 random texts what the service quotes',
  async () => {
    const seed = fuzzSeed();
    const random = new SeededRandom(seed);
    const texts = Array.from({ length: TEXTS }, () => randomText(random));
    const counts = { extended: 0, concatenated: 0 };
    for (let start = 0; start < TEXTS; start += BATCH) {
      const batch = texts.slice(start, start + BATCH);
      const reply = await account.post('/v1/message/quote', {
        messages: batch.map((message) => ({ recipient: RECIPIENT, message })),
      });
      expect(reply.status).toBe(200);
      for (const [index, quoted] of reply.as<{ messages: QuotedText[] }>().messages.entries()) {
        const message = batch[index] ?? '';
        const { encoding, length, segments } = countText(message);
        // The service names code points, the page graphemes: each code point stands in a mark.
        const { marks } = findOffenders(message);
        const unmarked = quoted.offendingCharacters.filter(
          ({ position }) => !marks.some(({ start, end }) => start <= position && position < end),
        );
        expect({ seed, message, encoding, length, segments, unmarked }).toEqual({
          seed,
          message,
          encoding: quoted.encoding,
          length: quoted.length,
          segments: quoted.segments,
          unmarked: [],
        });
        if (encoding === 'extended') counts.extended += 1;
        if (segments > 1) counts.concatenated += 1;
      }
    }
    expect(counts.extended).toBeGreaterThan(1_000);
    expect(counts.concatenated).toBeGreaterThan(500);
  },
  FUZZ_TIMEOUT_MS,
);
