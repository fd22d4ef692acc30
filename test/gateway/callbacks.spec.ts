import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { callbackSignature } from '#carrier';
import { addCarrier, removeCarrier } from '#persistence';
import { callbackCarrier, CALLBACK_TOKEN as TOKEN } from '../support/callback-carrier.js';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { OPERATOR_PASSWORD, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const PUBLIC_URL = 'https://sms.example.org/heliograph';
const CARRIER = callbackCarrier(`${PUBLIC_URL}#rc=5`);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
  await addCarrier(gateway.database, CARRIER);
  await addCarrier(gateway.database, { ...CARRIER, name: 'silent', options: {} });
  await addCarrier(gateway.database, { ...CARRIER, name: 'smpp', protocol: 'smpp' });
});
afterAll(async () => {
  await gateway.close();
});

interface Call {
  readonly name?: string;
  readonly query?: string;
  readonly fields?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly at?: TestGateway;
}

let sids = 0;

/** A callback as the provider makes it: signed for the public address, whatever host it reaches us by. */
function call({ name = 'acme', query = 'ref=7', fields = {}, headers = {}, token = TOKEN, at = gateway }: Call = {}) {
  sids += 1;
  const form = new URLSearchParams({
    MessageSid: `SM${sids}`,
    MessageStatus: 'delivered',
    To: '+46700100200',
    ...fields,
  });
  const signed = `${PUBLIC_URL}/carriers/${name}/status${query === '' ? '' : `?${query}`}`;
  return at.http.request('POST', `/carriers/${name}/status${query === '' ? '' : `?${query}`}`, {
    body: form.toString(),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': callbackSignature(signed, form, token),
      ...headers,
    },
  });
}

async function unmatched(): Promise<Record<string, unknown>[]> {
  return gateway.database.query(
    `select carrier_message_id as id, user_message_reference as reference, destination, state, carrier_code as code
       from parked_receipt order by receipt_id`,
  );
}

async function metrics(): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${gateway.operatorPort}/metrics`, {
    headers: { authorization: `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}` },
  });
  return answer.text();
}

function expectTaken(reply: HttpReply): void {
  expect([reply.status, reply.text]).toEqual([204, '']);
}

describe('a status callback', () => {
  test('that is final is stored before it is answered, with the id, the reference and the number', async () => {
    expectTaken(await call({ fields: { MessageSid: 'SMfinal', MessageStatus: 'undelivered', ErrorCode: '30003' } }));
    expect(await unmatched()).toContainEqual({
      id: 'SMfinal',
      reference: 7,
      destination: '46700100200',
      state: 'undelivered',
      code: 'undelivered/30003',
    });
  });

  test('that comes twice is taken twice, and stored once', async () => {
    const before = (await unmatched()).length;
    expectTaken(await call({ fields: { MessageSid: 'SMtwice' } }));
    expectTaken(await call({ fields: { MessageSid: 'SMtwice' } }));
    expect(await unmatched()).toHaveLength(before + 1);
  });

  test('that somebody makes again a hundred times is stored once and costs the database one write', async () => {
    const writes = async () => {
      const text = await metrics();
      return Number(/heliograph_receipt_store_seconds_count\{[^}]*carrier="acme"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const fields = { MessageSid: 'SMreplayed' };
    expectTaken(await call({ fields }));
    const [storedBefore, writesBefore] = [(await unmatched()).length, await writes()];
    for (const reply of await Promise.all(Array.from({ length: 100 }, () => call({ fields })))) expectTaken(reply);
    expect(await unmatched()).toHaveLength(storedBefore);
    expect(await writes()).toBe(writesBefore);
  });

  test.each(['queued', 'sending', 'sent', 'accepted', 'never-heard-of'])('%s stores nothing', async (MessageStatus) => {
    const before = await unmatched();
    expectTaken(await call({ fields: { MessageStatus } }));
    expect(await unmatched()).toEqual(before);
  });

  test('that names no message is refused', async () => {
    expectProblem(await call({ fields: { MessageSid: '' }, query: '' }), 400, 'invalid_request');
  });

  test('hundreds at once are all stored', async () => {
    const before = (await unmatched()).length;
    const replies = await Promise.all(Array.from({ length: 300 }, () => call()));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await unmatched()).toHaveLength(before + 300);
  });
});

describe('whoever is not the provider', () => {
  test.each([
    ['no signature', { headers: { 'X-Twilio-Signature': '' } }],
    ['a signature by another token', { token: 'guess' }],
    ['a signature of another message', { headers: { 'X-Twilio-Signature': 'GvWf1cFY/Q7PnoempGyD5oXAezc=' } }],
    ["an account's key", { headers: { 'X-Twilio-Signature': 'x', 'X-Authorization': 'hg_key' } }],
  ])('is refused: %s', async (_what, how) => {
    const before = await unmatched();
    expectProblem(await call(how), 403, 'signature_invalid');
    expect(await unmatched()).toEqual(before);
  });

  test('cannot tell carriers that exist from those that do not', async () => {
    const names = ['acme', 'nobody', 'silent', 'smpp', 'ACME', '%00'];
    const ways = [
      { token: 'guess' },
      { headers: { 'X-Twilio-Signature': '' } },
      { fields: { x: 'y'.repeat(9_000) }, token: '' },
    ];
    for (const how of ways) {
      const bodies = await Promise.all(
        names.map(async (name) => {
          const { requestId, instance, ...body } = expectProblem(
            await call({ name, ...how }),
            403,
            'signature_invalid',
          );
          return body;
        }),
      );
      for (const body of bodies) expect(body).toEqual(bodies[0]);
    }
    // Not even with the right token of another carrier.
    for (const name of names.slice(1)) expectProblem(await call({ name }), 403, 'signature_invalid');
  });

  test('cannot make the gateway work for seconds by many parameters, whatever the carrier', async () => {
    // 16,384 names in 64 KiB kept the gateway from everything else for 20 seconds.
    const names = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36)).join('&');
    const bodies = [names(16_384), names(4_000), '&'.repeat(16_000), `${'a&'.repeat(7_000)}a`];
    const before = process.cpuUsage();
    for (const name of ['acme', 'nobody']) {
      for (const body of bodies) {
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Twilio-Signature': 'x' };
        const reply = await gateway.http.request('POST', `/carriers/${name}/status`, { body, headers });
        expect([400, 413]).toContain(reply.status);
      }
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
  });

  test('of a hundred parameters each is part of what is signed, and one more is refused', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 'y']));
    expectTaken(await call({ fields: many(97) }));
    expectProblem(await call({ fields: many(98) }), 400, 'invalid_request');
  });

  test('finds no other method', async () => {
    expectProblem(await gateway.http.request('GET', '/carriers/acme/status'), 405, 'method_not_allowed');
  });

  test('cannot make the gateway read anything but a small form', async () => {
    const type = { 'Content-Type': 'application/json' };
    expectProblem(await call({ headers: type }), 415, 'unsupported_media_type');
    expectProblem(await call({ fields: { x: 'y'.repeat(70_000) } }), 413, 'body_too_large');
  });

  test('finds a form refused everywhere else, as before', async () => {
    const account = await gateway.account();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await account.request('POST', '/v1/message/send', { body: 'recipient=46700100200', headers });
    expectProblem(reply, 415, 'unsupported_media_type');
  });

  test('does not find the address in the document of the API', async () => {
    const { text } = await gateway.http.request('GET', '/openapi.json');
    expect(text).not.toContain('/carriers/');
  });
});

describe('around it', () => {
  test('a carrier that was added or removed is known at once', async () => {
    await addCarrier(gateway.database, { ...CARRIER, name: 'late' });
    await eventually(async () => expect((await call({ name: 'late' })).status).toBe(204), { timeoutMs: 4_000 });
    await removeCarrier(gateway.database, 'late');
    await eventually(async () => expect((await call({ name: 'late' })).status).toBe(403), { timeoutMs: 4_000 });
  });

  test('the operator sees receipts and refusals in the metrics', async () => {
    expectTaken(await call());
    await call({ token: 'guess' });
    const text = await metrics();
    expect(text).toMatch(/heliograph_receipts_total\{[^}]*carrier="acme"[^}]*state="delivered"[^}]*\} \d+/);
    expect(text).toMatch(/heliograph_callbacks_refused_total\{[^}]*reason="signature"[^}]*\} \d+/);
    expect(text).not.toContain('46700100200');
  });

  test('while the database is away nothing is taken, and the provider is told to come again', async () => {
    const proxy = await TcpProxy.before(gateway.databaseUrl);
    const through = { DATABASE_URL: proxy.through(gateway.databaseUrl) };
    const beside = await TestGateway.start({ beside: gateway, settings: through });
    try {
      expectTaken(await call({ at: beside }));
      proxy.cut();
      const reply = await call({ at: beside, fields: { MessageSid: 'SMaway' } });
      expectProblem(reply, 503, 'unavailable');
      expect(reply.headers['retry-after']).toBe('1');
      proxy.mend();
      await eventually(async () => expectTaken(await call({ at: beside, fields: { MessageSid: 'SMaway' } })));
      expect((await unmatched()).filter(({ id }) => id === 'SMaway')).toHaveLength(1);
    } finally {
      proxy.mend();
      await beside.close();
      await proxy.close();
    }
  });

  test('a callback that comes while the database is away for a moment is stored, also if carriers are looked up', async () => {
    const proxy = await TcpProxy.before(gateway.databaseUrl);
    const through = { DATABASE_URL: proxy.through(gateway.databaseUrl) };
    const beside = await TestGateway.start({ beside: gateway, settings: through });
    try {
      expectTaken(await call({ at: beside }));
      // What it knows of the carriers is too old from now on.
      const realNow = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => realNow() + 6_000);
      proxy.cut();
      const reply = call({ at: beside, fields: { MessageSid: 'SMmoment' } });
      await Promise.race([reply, eventually(() => proxy.refused > 3)]);
      proxy.mend();
      expectTaken(await reply);
      expect((await unmatched()).filter(({ id }) => id === 'SMmoment')).toHaveLength(1);
    } finally {
      jest.restoreAllMocks();
      proxy.mend();
      await beside.close();
      await proxy.close();
    }
  });
});
