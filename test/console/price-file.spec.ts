import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatMicros } from '#billing';
import { BatchSending } from '../../apps/console/owner/batch/batch-sending.js';
import { cutChunks } from '../../apps/console/owner/batch/cut-chunks.js';
import { priceRows } from '../../apps/console/owner/batch/price-rows.js';
import { type AskQuote, askPrices, type PriceBook } from '../../apps/console/owner/sending/ask-prices.js';
import { messagesMaxOf } from '../../apps/console/owner/sending/messages-max.js';
import { newSendId } from '../../apps/console/owner/sending/send-id.js';
import { ApiError } from '../../apps/console/shell/api/api-error.js';
import { TestGateway } from '../support/gateway.js';
import { apiOf, destinationsOf, manyRows, messagesOf } from './rows-of-file.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

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
    const sending = new BatchSending(
      { id: newSendId(), chunks: await cutChunks(messages, 100), options: {}, leftOut: [] },
      post,
    );
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
