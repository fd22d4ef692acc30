import { expect, test } from '@jest/globals';
import { HeldAnswers } from '../../apps/worker/dispatch/held-answers.js';
import { answer } from '../support/test-ledger.js';

const KEPT_MS = 60_000;
const answerOf = (id: string, position = 1) => answer({ id, epoch: 1 }, position, 'accepted');

test('answers for a balance that stays held keep none for another one waiting, however many they are', async () => {
  const written: string[] = [];
  let isHeld = true;
  const answers = new HeldAnswers(
    async (results) => {
      const held = results.filter(({ id }) => isHeld && id.startsWith('held'));
      written.push(...results.filter((each) => !held.includes(each)).map(({ id, position }) => `${id}/${position}`));
      return new Set(held.map(({ id }) => id));
    },
    { batchMax: 2, giveUpAfterMs: KEPT_MS },
  );
  const kept = [answerOf('held-1'), answerOf('held-2'), answerOf('held-3'), answerOf('held-1', 2)].map((each) =>
    answers.add(each),
  );
  await answers.add(answerOf('free'));
  expect(written).toEqual(['free/1']);
  isHeld = false;
  await Promise.all(kept);
  expect(written.indexOf('held-1/1')).toBeLessThan(written.indexOf('held-1/2'));
  expect(written).toHaveLength(5);
});
