import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatMicros } from '#billing';
import {
  type BatchAnswer,
  type BatchBody,
  BatchSending,
  type PostBatch,
} from '../../apps/console/owner/batch/batch-sending.js';
import { checkRows, type RowMessage } from '../../apps/console/owner/batch/check-rows.js';
import { cutChunks } from '../../apps/console/owner/batch/cut-chunks.js';
import { parseRows } from '../../apps/console/owner/batch/parse-rows.js';
import { priceRows } from '../../apps/console/owner/batch/price-rows.js';
import { readTemplate } from '../../apps/console/owner/batch/template.js';
import { type AskQuote, askPrices, type PriceBook } from '../../apps/console/owner/sending/ask-prices.js';
import { messagesMaxOf } from '../../apps/console/owner/sending/messages-max.js';
import { newSendId } from '../../apps/console/owner/sending/send-id.js';
import { ApiError } from '../../apps/console/shell/api/api-error.js';
import { errorFrom } from '../../apps/console/shell/api/problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';

const COLUMNS = ['number', 'text'];
/** Messages of a request; the page puts 1,000 in one. */
const CHUNK = 100;
const NO_WAIT = async () => undefined;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

/** Asks and posts like the console's own client. */
function apiOf(account: TestAccount): { ask: AskQuote; post: PostBatch } {
  const post = async <Answer>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const reply = await account.post(path, body, headers);
    if (reply.status < 300) return reply.as<Answer>();
    throw await errorFrom(new Response(reply.text, { status: reply.status }));
  };
  return {
    ask: (body) => post('/v1/message/quote', body),
    post: (body, key) => post('/v1/message/send-batch', body, { 'idempotency-key': key }),
  };
}

async function messagesOf(csv: string): Promise<readonly RowMessage[]> {
  const file = await parseRows(csv);
  if ('kind' in file) throw new Error(file.kind);
  const mapping = { recipient: 0, text: readTemplate('{text}', COLUMNS), countryCode: '' };
  return (await checkRows(file.rows, mapping, COLUMNS)).messages;
}

const destinationsOf = (messages: readonly RowMessage[]) => messages.map(({ destination }) => destination);

const manyRows = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4670${1_000_000 + index},Hello ${index}`).join('\n');

async function planOf(messages: readonly RowMessage[]) {
  return { id: newSendId(), chunks: await cutChunks(messages, CHUNK), options: {}, leftOut: [] };
}

describe('the price of a file', () => {
  test('is known for every row before anything is sent, and is what the send costs', async () => {
    const account = await gateway.account();
    const { ask, post } = apiOf(account);
    const messages = await messagesOf(
      `+46701234567,hi\n+491701234567,${'é'.repeat(100)}\n+12421234567,hi\n+33123456789,free\n46701234567,again`,
    );
    const book: PriceBook = new Map();
    await askPrices(destinationsOf(messages), book, ask);
    const { total, segments, faults } = await priceRows(messages, book);
    expect([formatMicros(total), segments, faults]).toEqual(['0.184801', 6, []]);
    expect(await account.standing()).toEqual({ balance: 100, messages: 0 });
    const sending = new BatchSending(await planOf(messages), post);
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'done', sent: 5, charged: total });
    expect(await account.standing()).toEqual({ balance: 100 - 0.184801, messages: 5 });
  });

  test('names the rows to which the service sends nothing, in files of more than one request', async () => {
    const account = await gateway.account();
    const rows = manyRows(2_500).split('\n');
    rows[3] = '+999700100200,hi';
    rows[1_700] = '+999700100201,hi';
    const messages = await messagesOf(rows.join('\n'));
    const book: PriceBook = new Map();
    const progress: number[] = [];
    await askPrices(destinationsOf(messages), book, apiOf(account).ask, {
      progress: (priced) => progress.push(priced),
    });
    const priced = await priceRows(messages, book);
    expect(priced.faults).toEqual([
      expect.objectContaining({ row: 4, kind: 'no_rate', value: '+999700100200' }),
      expect.objectContaining({ row: 1_701, kind: 'no_rate' }),
    ]);
    expect(priced.messages).toHaveLength(2_498);
    expect(progress).toEqual([0, 1_000, 2_000, 2_500]);
  });

  test('is not asked again for destinations that are known', async () => {
    const account = await gateway.account();
    const { ask } = apiOf(account);
    const book: PriceBook = new Map();
    const asked: number[] = [];
    const counted: AskQuote = (body) => {
      asked.push(body.messages.length);
      return ask(body);
    };
    await askPrices(destinationsOf(await messagesOf('+46701234567,a\n46701234567,b\n+4912345678,c')), book, counted);
    await askPrices(destinationsOf(await messagesOf('+46701234567,a\n+4912345679,c')), book, counted);
    expect(asked).toEqual([2, 1]);
  });

  test('is asked for in questions of as many destinations as the operator allows', async () => {
    const { ask } = apiOf(await gateway.account());
    const asked: number[] = [];
    const counted: AskQuote = (body) => {
      asked.push(body.messages.length);
      return ask(body);
    };
    const messages = await messagesOf(manyRows(5));
    await askPrices(destinationsOf(messages), new Map(), counted, {
      messagesMax: messagesMaxOf({ batchMessagesMax: 2 }),
    });
    expect(asked).toEqual([2, 2, 1]);
    // The limit that a session knows may be older than that of the service.
    const asking: AskQuote = (body) => {
      if (body.messages.length > 3) throw new ApiError(400, 'batch_too_large', 'Batch too large', 'Too large');
      return counted(body);
    };
    asked.length = 0;
    await askPrices(destinationsOf(messages), new Map(), asking);
    expect(asked).toEqual([3, 2]);
    expect([messagesMaxOf({}), messagesMaxOf({ batchMessagesMax: 10_000 })]).toEqual([1_000, 1_000]);
  });
});

describe('a file that is sent', () => {
  test('is charged once, although the answer to a request was lost', async () => {
    const account = await gateway.account({ deposit: '100' });
    const { post } = apiOf(account);
    const lost = new Set<string>();
    const losing: PostBatch = async (body, key) => {
      const answer = await post(body, key);
      if (lost.size > 0 || !key.endsWith('-2')) return answer;
      lost.add(key);
      throw new ApiError(0, 'unreachable', 'No answer', 'No answer');
    };
    const messages = await messagesOf(manyRows(250));
    const sending = new BatchSending(await planOf(messages), losing, NO_WAIT);
    await sending.run();
    expect(lost.size).toBe(1);
    expect(sending.state).toMatchObject({ status: 'done', sent: 250, all: 250 });
    expect(new Set(sending.sentRows.map(({ messageId }) => messageId)).size).toBe(250);
    expect(await account.standing()).toEqual({ balance: 100 - 250 * 0.075, messages: 250 });
  });

  test('goes on after the page was loaded again, and has the ids of what was sent before', async () => {
    const account = await gateway.account({ deposit: '100' });
    const { post } = apiOf(account);
    const messages = await messagesOf(manyRows(250));
    const plan = await planOf(messages);
    const breaking: PostBatch = (body, key) => {
      if (key.endsWith('-3')) throw new ApiError(0, 'unreachable', 'No answer', 'No answer');
      return post(body, key);
    };
    const first = new BatchSending(plan, breaking, NO_WAIT);
    await first.run();
    expect(first.state).toMatchObject({ status: 'stopped', sent: 200, error: { code: 'unreachable' } });

    const second = new BatchSending({ ...plan, chunks: await cutChunks(messages, CHUNK) }, post);
    await second.run();
    expect(second.state).toMatchObject({ status: 'done', sent: 250 });
    expect(second.sentRows.slice(0, 200)).toEqual(first.sentRows);
    expect(await account.standing()).toEqual({ balance: 100 - 250 * 0.075, messages: 250 });
  });

  test('goes on in smaller requests when the operator has lowered their limit, and sends nothing twice', async () => {
    const account = await gateway.account({ deposit: '100' });
    const { post } = apiOf(account);
    let limit = CHUNK;
    let fault = 'none';
    const limited: PostBatch = async (body, key) => {
      if (body.messages.length > limit) throw new ApiError(400, 'batch_too_large', 'Batch too large', 'Too large');
      if (fault === key) throw new ApiError(0, 'unreachable', 'No answer', 'No answer');
      const answer = await post(body, key);
      // Accepted, and nobody was told.
      if (fault === 'silence' && key.endsWith('-2')) throw new ApiError(0, 'unreachable', 'No answer', 'No answer');
      return answer;
    };
    const messages = await messagesOf(manyRows(250));
    const plan = await planOf(messages);
    const open = () => new BatchSending(plan, limited, NO_WAIT);
    fault = 'silence';
    const first = open();
    await first.run();
    expect(first.state).toMatchObject({ status: 'stopped', sent: 100 });
    limit = 30;
    fault = `${plan.id}-3.2`;
    await first.run();
    expect(first.state).toMatchObject({ status: 'stopped', sent: 226, error: { code: 'unreachable' } });
    expect([first.sentRows.length, first.earlierRows.length]).toEqual([126, 100]);
    // After a reload nothing is known but the id, whether the limit is still that low or not.
    const reloaded = open();
    await reloaded.run();
    expect([reloaded.state.sent, reloaded.earlierRows.length]).toEqual([226, 200]);
    fault = 'none';
    limit = CHUNK;
    const last = open();
    await last.run();
    expect(last.state).toMatchObject({ status: 'done', sent: 250, charged: 250n * 75_000n });
    await first.run();
    expect(first.state).toMatchObject({ status: 'done', sent: 250 });
    expect(new Set(last.sentRows.map(({ messageId }) => messageId)).size).toBe(250);
    expect(await account.standing()).toEqual({ balance: 100 - 250 * 0.075, messages: 250 });
  });

  test('stops when somebody asks, between two requests, and goes on when asked', async () => {
    const account = await gateway.account({ deposit: '100' });
    const { post } = apiOf(account);
    const sending: BatchSending = new BatchSending(await planOf(await messagesOf(manyRows(250))), (body, key) => {
      if (key.endsWith('-2')) sending.pause();
      return post(body, key);
    });
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'stopped', sent: 200, error: undefined });
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'done', sent: 250 });
    expect((await account.standing()).messages).toBe(250);
  });

  test('stops when the balance is used up, and goes on after a deposit', async () => {
    const account = await gateway.account({ deposit: '8' });
    const sending = new BatchSending(await planOf(await messagesOf(manyRows(150))), apiOf(account).post);
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'stopped', sent: 100, error: { code: 'insufficient_balance' } });
    await account.deposit('4');
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'done', sent: 150 });
    expect(await account.standing()).toEqual({ balance: 12 - 150 * 0.075, messages: 150 });
  });

  test('waits as long as the service says when it is too fast, and loses nothing', async () => {
    const account = await gateway.account({ deposit: '100', rateLimitPerSecond: 10_000 });
    const { post } = apiOf(account);
    let refusals = 9;
    const waits: number[] = [];
    const limited: PostBatch = (body, key) => {
      if (refusals-- > 0) throw new ApiError(429, 'rate_limited', 'Too many', 'Too many', [], undefined, 40);
      return post(body, key);
    };
    const messages = await messagesOf(manyRows(10));
    const sending = new BatchSending(await planOf(messages), limited, async (waitMs) => void waits.push(waitMs));
    await sending.run();
    expect(waits).toEqual(Array.from({ length: 9 }, () => 40_000));
    expect(sending.state).toMatchObject({ status: 'done', sent: 10 });
  });

  test('names the rows that the service refuses meanwhile, which can be left out', async () => {
    const account = await gateway.account({ deposit: '100' });
    const messages = await messagesOf(`${manyRows(120)}\n+999700100200,hi`);
    const plan = await planOf(messages);
    const sending = new BatchSending(plan, apiOf(account).post);
    await sending.run();
    expect(sending.state).toMatchObject({
      status: 'stopped',
      sent: 100,
      refused: [{ row: 121, recipient: '+999700100200', code: 'no_rate' }],
    });
    sending.leaveOut([121]);
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'done', sent: 120, all: 120 });
    // Its requests keep their keys when it begins again without that row.
    const again = new BatchSending({ ...plan, leftOut: [121] }, apiOf(account).post);
    await again.run();
    expect(again.sentRows).toEqual(sending.sentRows);
    expect((await account.standing()).messages).toBe(120);
  });

  test('with a repeated id and other texts is refused, not sent', async () => {
    const account = await gateway.account();
    const plan = await planOf(await messagesOf('+46701234567,one'));
    await new BatchSending(plan, apiOf(account).post).run();
    const other = { ...plan, chunks: await cutChunks(await messagesOf('+46701234567,two')) };
    const sending = new BatchSending(other, apiOf(account).post);
    await sending.run();
    expect(sending.state).toMatchObject({ status: 'stopped', sent: 0, error: { code: 'idempotency_key_reused' } });
    expect((await account.standing()).messages).toBe(1);
  });

  test('passes on what is asked of all messages', async () => {
    const bodies: BatchBody[] = [];
    const post = async (body: BatchBody): Promise<BatchAnswer> => {
      bodies.push(body);
      return { balanceDeduction: '0', orderSummary: [] };
    };
    const options = { sender: 'Acme', sendAt: '2026-12-01T08:00:00.000Z', tag: 'list.csv' };
    await new BatchSending({ ...(await planOf(await messagesOf('+46701234567,one'))), options }, post).run();
    expect(bodies).toEqual([{ ...options, messages: [{ recipient: '+46701234567', message: 'one' }] }]);
  });
});
