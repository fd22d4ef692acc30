import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addCarrier } from '#persistence';
import { CODES_OF_SENDS_WITH_OPTIONS, DocumentedAnswers } from '../support/documented-answers.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const SEND = '/v1/message/send';
const BATCH = '/v1/message/send-batch';
const QUOTE = '/v1/message/quote';
const MESSAGE = '/v1/message/{messageId}';

let gateway: TestGateway;
let account: TestAccount;
let answers: DocumentedAnswers;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
  answers = new DocumentedAnswers((await gateway.http.request('GET', '/openapi.json')).as<Document>());
});
afterAll(() => gateway.close());

test('sends with options and cancels are answered as the document says', async () => {
  const cancelOne = '/v1/message/{messageId}/cancel';
  const cancelAll = '/v1/message/batch/{batchId}/cancel';
  const cancel = (path: string) => account.request('POST', path);
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const options = { sendAt, validitySeconds: 60, maxPrice: 1, maxSegments: 1, smartEncoding: true };
  const single = await account.post(SEND, { ...GOOD, message: '“hi”', ...options });
  answers.expect('post', SEND, single);
  const { messageId } = single.as<{ messageId: string }>();
  answers.expect('get', MESSAGE, await account.get(`/v1/message/${messageId}`));
  for (const body of [
    { ...GOOD, ...options },
    { messages: [GOOD], ...options },
  ]) {
    answers.expect('post', QUOTE, await account.post(QUOTE, body));
  }
  const batch = await account.post(BATCH, { messages: [GOOD, GOOD], ...options });
  answers.expect('post', BATCH, batch);
  const { batchId } = batch.as<{ batchId: string }>();
  const refusals = [
    ['send_at_invalid', { sendAt: '2020-01-01T00:00:00Z' }],
    ['price_above_max', { maxPrice: 0 }],
    ['too_many_segments', { maxSegments: 1, message: 'x'.repeat(200) }],
    ['sender_not_allowed', { sender: 'Nobody' }],
  ] as const;
  for (const [code, wish] of refusals) {
    for (const path of [SEND, QUOTE]) {
      answers.expect('post', path, await account.post(path, { ...GOOD, ...wish }), code);
    }
    answers.expect('post', BATCH, await account.post(BATCH, { messages: [{ ...GOOD, ...wish }] }), code);
  }
  answers.expect('post', cancelOne, await cancel(`/v1/message/${messageId}/cancel`));
  answers.expect('post', cancelAll, await cancel(`/v1/message/batch/${batchId}/cancel`));
  const oneBatch = '/v1/message/batch/{batchId}';
  answers.expect('get', oneBatch, await account.get(`/v1/message/batch/${batchId}`));
  answers.expect('get', oneBatch, await account.get(`/v1/message/batch/${messageId}`), 'not_found');
  answers.expect('post', cancelOne, await cancel(`/v1/message/${batchId}/cancel`), 'not_found');
  answers.expect('post', cancelAll, await cancel(`/v1/message/batch/${messageId}/cancel`), 'not_found');
  const sent = (await account.sendBatch([GOOD])).as<{ batchId: string; orderSummary: { messageId: string }[] }>();
  // As if a worker had claimed it.
  await gateway.database.query(`select claim_orders(array[$1::uuid], 'spec', $2, 3600, false, null)`, [
    sent.orderSummary[0]?.messageId,
    (await addCarrier(gateway.database, smppCarrier({ name: 'claims' }))).carrierId,
  ]);
  const sentId = sent.orderSummary[0]?.messageId;
  answers.expect('post', cancelOne, await cancel(`/v1/message/${sentId}/cancel`), 'not_cancelable');
  answers.expect('post', cancelAll, await cancel(`/v1/message/batch/${sent.batchId}/cancel`), 'not_cancelable');
  expect([...answers.met].sort()).toEqual(['not_found', ...CODES_OF_SENDS_WITH_OPTIONS].sort());
});

test('one reference for two entries is refused as the document says, by a quote as well', async () => {
  const entry = { ...GOOD, reference: 'twice' };
  const body = { messages: [entry, entry], uniqueReference: true };
  for (const path of [BATCH, QUOTE]) answers.expect('post', path, await account.post(path, body), 'reference_used');
});
