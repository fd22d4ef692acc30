import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { disableOperator, resetOperator } from '#persistence';
import type { HttpReply } from '../support/http-client.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { TestPeople } from './operator-people.js';

let people: TestPeople;
beforeAll(async () => {
  people = await TestPeople.start();
  // The first change that follows a right password waits for the spec; what the spec does meanwhile does not.
  for (const statement of [
    'create sequence changes',
    `create function await_spec() returns trigger language plpgsql as $$
     begin
       if nextval('changes') = 1 then perform pg_advisory_xact_lock(hashtext('spec')); end if;
       return null;
     end $$`,
    `create trigger await_spec before update of last_sign_in_at, password_hash on operator
     execute function await_spec()`,
  ]) {
    await people.gateway.database.query(statement);
  }
});
afterAll(() => people.close());

/** The answer to a request that had proved a password when something else was done. */
async function answerAfter(send: () => Promise<HttpReply>, done: () => Promise<unknown>): Promise<HttpReply> {
  const { database } = people.gateway;
  const sent = await database.transaction(async (holder) => {
    await holder.query("select pg_advisory_xact_lock(hashtext('spec'))");
    const answer = send();
    await untilLockWaits(database, 1);
    await done();
    return { answer };
  });
  return sent.answer;
}

const REFUSED = { status: 401, json: expect.objectContaining({ code: 'sign_in_failed' }) };

describe('a password that was right a moment ago', () => {
  test.each([['reset', resetOperator] as const, ['disabled', disableOperator] as const])(
    'starts no session for a person who was %s meanwhile',
    async (_what, change) => {
      const { name, password, browser } = await people.newcomer('admin');
      // There is another admin, so that the last one is not the person.
      await people.newcomer('admin');
      await people.gateway.database.query('alter sequence changes restart');
      const reply = await answerAfter(
        () => browser.signIn(name, password),
        () => change(people.gateway.database, name),
      );
      expect(reply).toMatchObject(REFUSED);
      expect((await browser.api.get('/api/me')).status).toBe(401);
    },
  );

  test('sets no other password over one that was reset meanwhile', async () => {
    const { name, password, browser } = await people.signedIn('viewer');
    await people.gateway.database.query('alter sequence changes restart');
    const newPassword = 'of somebody who knew the old one';
    let given = '';
    const reply = await answerAfter(
      () => browser.api.put('/api/me/password', { password, newPassword }),
      async () => {
        given = (await resetOperator(people.gateway.database, name)).password;
      },
    );
    expect(reply).toMatchObject(REFUSED);
    expect(await people.browser().signIn(name, newPassword)).toMatchObject(REFUSED);
    expect((await people.browser().signIn(name, given)).status).toBe(204);
  });
});
