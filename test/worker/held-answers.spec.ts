import { expect, test } from '@jest/globals';
import { HeldAnswers } from '../../apps/worker/dispatch/held-answers.js';
import { answer } from '../support/test-ledger.js';

const KEPT_MS = 60_000;
const answerOf = (id: string, position = 1) => answer({ id, epoch: 1 }, position, 'accepted');

test('a bad answer fails alone, and those beside it are written', async () => {
  const written: string[] = [];
  const answers = new HeldAnswers(
    async (results) => {
      if (results.some(({ id }) => id === 'bad')) throw Object.assign(new Error('cannot be stored'), { code: '22P02' });
      written.push(...results.map(({ id }) => id));
      return new Set();
    },
    { batchMax: 500, giveUpAfterMs: KEPT_MS },
  );
  const ids = ['a', 'b', 'bad', 'c', 'd', 'e'];
  const kept = await Promise.allSettled(ids.map((id) => answers.add(answerOf(id))));
  expect(ids.filter((_, n) => kept[n]?.status === 'rejected')).toEqual(['bad']);
  expect(written.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

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
