import { expect, test } from '@jest/globals';
import { KeptAnswer } from '#timing';
import { eventually } from '../support/eventually.js';

function counted(keptForMs: number) {
  let asked = 0;
  const faults: Error[] = [];
  const answer = new KeptAnswer(keptForMs, async () => {
    asked += 1;
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
    return asked;
  });
  return { answer, faults };
}

test('who asks while an answer is kept gets the same one, and is asked again when it has expired', async () => {
  const { answer } = counted(50);
  expect(await Promise.all([answer.get(), answer.get()])).toEqual([1, 1]);
  await eventually(async () => (await answer.get()) === 2);
});

test('a failure is told to all who wait for it, and whoever comes next asks again', async () => {
  const { answer, faults } = counted(60_000);
  faults.push(new Error('away'));
  const both = await Promise.allSettled([answer.get(), answer.get()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([await answer.get(), await answer.get()]).toEqual([2, 2]);
});

test('after a change nobody gets the answer from before it', async () => {
  const { answer } = counted(60_000);
  const before = answer.get();
  answer.forget();
  expect([await answer.get(), await before, await answer.get()]).toEqual([2, 1, 2]);
});
