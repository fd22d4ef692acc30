import { describe, expect, test } from '@jest/globals';
import { SANDBOX_RECIPIENTS } from '#carrier';
import { addApiKey, addRoute, revokeApiKey } from '#persistence';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import type { TestService } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

interface ShownMessage {
  readonly status: string;
  readonly carrierCode: string | null;
  readonly amount: number;
  readonly history: readonly { readonly status: string }[];
  readonly segmentDetails: readonly { readonly status: string }[];
}

/** What a client does with a test key. */
async function tester(running: TestService) {
  const { apiKey, keyId } = await addApiKey(running.database, running.accountId, { isTest: true });
  const request = async <Body>(path: string, body?: unknown): Promise<Body> => {
    const answer = await fetch(`${running.gatewayUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-authorization': apiKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
  const message = (id: string) => request<ShownMessage>(`/v1/message/${id}`);
  return {
    apiKey,
    keyId,
    request,
    message,
    send: async (recipient: string, text = 'test') =>
      (await request<{ messageId: string }>('/v1/message/send', { recipient, message: text })).messageId,
    ends: (id: string, status: string, timeoutMs = 60_000) =>
      eventually(async () => expect((await message(id)).status).toBe(status), { timeoutMs }),
  };
}

/** As if a message had been sent a minute ago: by then nobody waits for its receipt any more. */
async function aMinuteLater({ database }: TestService, id: string): Promise<void> {
  await database.query(
    "update message_order set sent_at = sent_at - interval '1 minute', due_at = now() where id = $1",
    [id],
  );
}

describe.each(QUEUE_BACK_ENDS)('a test key, with the queue on %s', (backEnd) => {
  const start = sharedService({ backEnd });

  test('never reaches a carrier, whatever the routes say, and real messages never reach the sandbox', async () => {
    const running = await start();
    await addRoute(running.database, { prefix: '', carrier: 'simulator', rank: 1, weight: 1, cost: undefined }, false);
    const client = await tester(running);
    const recipient = '+46701234567';
    const messages = Array.from({ length: 60 }, (_, index) => ({ recipient, message: `test ${index}` }));
    await client.request('/v1/message/send-batch', { messages });
    const long = await client.send(recipient, 'x'.repeat(400));
    const real = await running.sendMany(60);
    await running.untilStatuses({ delivered: 60 });
    await client.ends(long, 'delivered');
    expect((await client.message(long)).segmentDetails).toHaveLength(3);
    await eventually(async () => {
      const { data } = await client.request<{ data: unknown[] }>('/v1/account/messages?limit=100&status=delivered');
      expect(data).toHaveLength(61);
    });
    expect(running.takenByNumber.get('46701234567')).toBeUndefined();
    expect(running.takenCopies).toBe(real.length);
    const carriers = await running.database.query(
      `select distinct sign(o.account_id)::integer as account, sign(s.carrier_id)::integer as carrier
         from message_order o join segment s on s.message_id = o.id order by 1`,
    );
    expect(carriers).toEqual([
      { account: -1, carrier: -1 },
      { account: 1, carrier: 1 },
    ]);
  });
});

describe('a test key', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END });

  test('works where no carrier is configured, and each documented recipient has its outcome', async () => {
    const running = await start({ carrier: 'none' });
    const client = await tester(running);
    const outcomes: Record<string, { status: string; code: string | null; steps: string[] }> = {
      '+447700900000': { status: 'delivered', code: 'DELIVRD', steps: ['sending', 'sent', 'delivered'] },
      '+447700900001': { status: 'failed', code: 'ESME_RINVDSTADR', steps: ['sending', 'failed'] },
      '+447700900010': { status: 'delivered', code: 'DELIVRD', steps: ['sending', 'sent', 'delivered'] },
      '+447700900020': { status: 'undelivered', code: 'UNDELIV', steps: ['sending', 'sent', 'undelivered'] },
      '+447700900021': { status: 'undelivered', code: 'EXPIRED', steps: ['sending', 'sent', 'undelivered'] },
      '+447700900022': { status: 'undelivered', code: 'REJECTD', steps: ['sending', 'sent', 'undelivered'] },
      '+447700900023': { status: 'undelivered', code: 'DELETED', steps: ['sending', 'sent', 'undelivered'] },
      '+447700900030': { status: 'delivered', code: 'DELIVRD', steps: ['sending', 'sent', 'delivered'] },
      '+447700900033': { status: 'unknown', code: null, steps: ['sending', 'sent', 'unknown'] },
    };
    const sent = await Promise.all(
      Object.entries(outcomes).map(async ([recipient, outcome]) => ({ id: await client.send(recipient), outcome })),
    );
    for (const { id, outcome } of sent) {
      if (outcome.status === 'unknown') {
        await client.ends(id, 'sent');
        await aMinuteLater(running, id);
      }
      await client.ends(id, outcome.status);
      const { history, carrierCode, amount } = await client.message(id);
      expect(history.map(({ status }) => status)).toEqual(['queued', ...outcome.steps]);
      expect({ status: outcome.status, carrierCode }).toEqual({ status: outcome.status, carrierCode: outcome.code });
      expect(amount).toBe(outcome.status === 'failed' ? 0 : 0.01);
    }
    expect(running.takenCopies).toBe(0);
    const long = await client.send('+447700900025', 'x'.repeat(200));
    await client.ends(long, 'undelivered');
    const { segmentDetails } = await client.message(long);
    expect(segmentDetails.map(({ status }) => status)).toEqual(['delivered', 'undelivered']);
    const documented = SANDBOX_RECIPIENTS.map(({ recipient }) => recipient);
    expect([...Object.keys(outcomes), '+447700900025'].sort()).toEqual(documented.sort());
  });

  test('ends as every key, and leaves the account as it was', async () => {
    const running = await start({ carrier: 'none' });
    const client = await tester(running);
    const before = await running.get('/v1/account');
    await client.ends(await client.send('+447700900000'), 'delivered');
    expect(await running.get('/v1/account')).toEqual(before);
    expect((await running.messages()).size).toBe(0);
    await revokeApiKey(running.database, client.keyId);
    await eventually(async () => {
      await expect(client.request('/v1/account')).rejects.toThrow('answered 401');
    });
  });

  test('gets the receipts that are due when its worker is stopped', async () => {
    const running = await start({ carrier: 'none' });
    const client = await tester(running);
    const id = await client.send('+447700900030');
    await client.ends(id, 'sent');
    const [worker] = running.runningWorkers;
    if (worker !== undefined) await running.stopWorker(worker);
    expect((await client.message(id)).status).toBe('delivered');
  });
});
