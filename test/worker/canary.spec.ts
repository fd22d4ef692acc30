import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { loadConfig } from '#config';
import { type RunningWebhooks, startWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { scrapeText } from '../support/metrics.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { TestService } from '../support/service.js';
import { TraceReceiver } from '../support/trace-receiver.js';
import { TestReceiver, webhookSettings, webhookTo } from '../support/webhooks.js';
import { ended, spawnWorker } from '../support/worker-process.js';

const TEXT = 'the diagnosis Qx7fQ is in the letter';
const CANARY = 'Qx7fQ';
/** One that gets everything, one whose messages fail, one whose answer is STOP, one that is on no message at first. */
const NUMBERS = ['46701377001', '46799900001', '46799900041', '46701377004'] as const;
/** Long enough that no time and no id contains them by chance. */
const DIGITS = NUMBERS.map((number) => number.slice(-9));
const PASSWORD = 'an operator of the specs';

/** The columns that may hold a text or a number until it is redacted, as docs/privacy.md lists them. */
const KNOWN = [
  'concatenation_counter.destination',
  'doubtful_submit.destination',
  'inbound_message.message',
  'inbound_message.source',
  'inbound_part.content',
  'inbound_part.source',
  'message_order.destination',
  'message_order.message',
  'message_order.recipient',
  'open_opt_out.destination',
  'parked_receipt.destination',
];

describe.each(QUEUE_BACK_ENDS)('texts and numbers, with the queue on %s', (backEnd) => {
  /** On one back end texts are stored as they are, on the other one encrypted. */
  const atRest = backEnd === 'redis' ? 'plain' : 'encrypted';
  const log = new LogLines('service');
  let service: TestService;
  let webhooks: RunningWebhooks;
  let receiver: TestReceiver;
  let collector: TraceReceiver;
  let complaints = '';

  beforeAll(async () => {
    receiver = await TestReceiver.start();
    collector = await TraceReceiver.start();
    const settings = {
      OPERATOR_PASSWORD: PASSWORD,
      LOG_LEVEL: 'info',
      TEXTS_AT_REST: atRest,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TRACE_SAMPLE_RATIO: '1',
    };
    service = await TestService.start({ backEnd, settings, log: log.logger });
    webhooks = await startWebhooks(loadConfig(webhookSettings(service.settings.DATABASE_URL ?? '')), log.logger);
    await webhookTo(service.database, service.accountId, receiver.url, [
      'message.delivered',
      'message.failed',
      'message.undelivered',
      'message.received',
    ]);
    await everySurface();
  });
  afterAll(async () => {
    await webhooks.close();
    await receiver.close();
    await service.close();
    await collector.close();
  });

  /** Sends the canaries through everything that takes a text or a number. */
  async function everySurface(): Promise<void> {
    const [first, failing, stopping, other] = NUMBERS;
    const key = { 'idempotency-key': 'canary' };
    const one = { recipient: first, message: TEXT };
    for (let n = 0; n < 2; n += 1) await service.post('/v1/message/send', one, service.gatewayUrl, key);
    await service.post('/v1/message/quote', one);
    await service.sendBatch([first, failing, stopping].map((recipient) => ({ recipient, message: TEXT.repeat(6) })));
    const later = { ...one, recipient: other, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
    const { messageId } = await service.post<{ messageId: string }>('/v1/message/send', later);
    await service.post(`/v1/message/${messageId}/cancel`, {});
    const refused: readonly (readonly [string, unknown])[] = [
      ['/v1/message/send', { ...one, message: `${TEXT}\0` }],
      ['/v1/message/send', { recipient: `${first}999999`, message: TEXT }],
      ['/v1/message/send', { ...one, [CANARY]: first }],
      ['/v1/message/send', { ...one, message: TEXT.repeat(2_000) }],
      ['/v1/message/send-batch', { messages: [one, { recipient: first, message: '' }] }],
      ['/v1/message/send', `{"recipient":"${first}","message":"${TEXT}`],
    ];
    for (const [path, body] of refused) await expect(service.post(path, body)).rejects.toThrow(/ answered 4/);
    await service.get(`/v1/account/messages?recipient=${first}`);
    await service.get(`/v1/message/inbound?sender=${first}`);
    await expect(service.get(`/v1/nowhere/${first}`)).rejects.toThrow('404');
    await eventually(async () => expect(await service.statuses()).not.toHaveProperty('queued'), { timeoutMs: 60_000 });

    // A receiver that repeats what it got while it fails, and a worker that is killed while it has work.
    receiver.answer = 500;
    for (const text of [TEXT, `${TEXT}. `.repeat(8)])
      service.simulator.sendInbound({ from: first, to: 'Heliograph', text });
    await eventually(() => expect(receiver.received.some(({ body }) => body.includes(CANARY))).toBe(true), {
      timeoutMs: 60_000,
    });
    receiver.answer = 200;
    for (const worker of [...service.runningWorkers]) await service.stopWorker(worker);
    await service.sendBatch(Array(30).fill(one));
    const child = spawnWorker(service, (text) => {
      complaints += text;
    });
    await eventually(() => expect(service.takenCopies).toBeGreaterThan(10), { timeoutMs: 120_000 });
    await ended(child, 'SIGKILL');
  }

  const secretsIn = (text: string): string[] => [CANARY, ...DIGITS].filter((secret) => text.includes(secret));

  /** Columns, of any table of the database, in which one of the secrets stands. */
  async function columnsWith(secrets: readonly string[]): Promise<string[]> {
    const columns = await service.database.query<{ schema: string; table: string; column: string; type: string }>(
      `select c.table_schema as schema, c.table_name as "table", c.column_name as "column", c.data_type as type
         from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')
          and c.data_type in ('text', 'character varying', 'character', 'json', 'jsonb', 'bytea', 'ARRAY')`,
    );
    expect(columns.length).toBeGreaterThan(100);
    const found: string[] = [];
    for (const { schema, table, column, type } of columns) {
      // A text in UTF-16, as parts of messages are stored, has a zero between its letters.
      const read = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
      const rows = await service.database.query(
        `select from "${schema}"."${table}"
          where exists (select from unnest($1::text[]) s where position(s in replace(${read}, '\\000', '')) > 0) limit 1`,
        [secrets],
      );
      if (rows.length > 0) found.push(`${table}.${column}`);
    }
    return found.sort();
  }

  test('stand in no log, of no process', () => {
    expect(log.text.length).toBeGreaterThan(1_000);
    expect([secretsIn(log.text), secretsIn(complaints)]).toEqual([[], []]);
  });

  test('stand in no metric', async () => {
    const [worker] = service.runningWorkers;
    const texts = [
      await scrapeText(service.operatorPort, '/metrics', PASSWORD),
      await scrapeText(service.operatorPort, '/metrics/service', PASSWORD),
      await scrapeText(webhooks.metricsPort),
      ...(worker === undefined ? [] : [await scrapeText(worker.metricsPort)]),
    ];
    for (const text of texts) expect([text.includes('heliograph_'), secretsIn(text)]).toEqual([true, []]);
  });

  test('stand in no key and no value of Redis', async () => {
    const url = testRedisUrl();
    if (backEnd !== 'redis' || url === undefined) return;
    const redis = new Redis(url);
    try {
      const keys = await redis.keys('*');
      expect(keys.length).toBeGreaterThan(0);
      for (const key of keys) {
        const dump = (await redis.dumpBuffer(key))?.toString('latin1') ?? '';
        expect([key, secretsIn(`${key} ${dump}`)]).toEqual([key, []]);
      }
    } finally {
      redis.disconnect();
    }
  });

  test('stand in no trace', async () => {
    const wanted = ['gateway', 'worker'].map((name) => `heliograph-${name}`);
    await eventually(
      () => expect([...new Set(collector.spans.map(({ service: name }) => name))].sort()).toEqual(wanted),
      { timeoutMs: 60_000 },
    );
    expect(secretsIn(collector.text)).toEqual([]);
  });

  test('stand in the columns that the documents name, and in no other one', async () => {
    const found = await columnsWith([CANARY, ...DIGITS]);
    expect(found).toEqual(expect.arrayContaining(['inbound_message.source', 'message_order.destination']));
    expect(found.filter((column) => !KNOWN.includes(column))).toEqual([]);
  });

  test('stand, if they are texts that are stored encrypted, in no column at all', async () => {
    const texts = ['inbound_message.message', 'message_order.message'];
    expect(await columnsWith([CANARY])).toEqual(atRest === 'encrypted' ? [] : texts);
    const { data } = await service.get<{ data: { message: string }[] }>('/v1/account/messages?limit=100');
    for (const { message } of data) expect(message).toContain(CANARY);
  });

  test('stand nowhere after the redaction, also of what was on its way', async () => {
    for (const recipient of NUMBERS) {
      const done = await service.post<{ complete: boolean }>('/v1/account/redactions', { recipient });
      expect(done.complete).toBe(true);
    }
    await service.startWorker();
    await eventually(async () => expect(Object.keys(await service.statuses())).not.toContain('queued'), {
      timeoutMs: 120_000,
    });
    await eventually(
      async () => {
        await service.database.query('update redaction_due set look_at = now()');
        await service.database.query('select redact_wanted(500)');
        const open = await service.database.query('select from message_order where final_at is null');
        // A receipt that matches nothing is kept, with its number, because its submit may still be answered.
        const left = (await columnsWith([CANARY, ...DIGITS])).filter(
          (column) => column !== 'parked_receipt.destination',
        );
        expect([open.length, left]).toEqual([0, []]);
      },
      { timeoutMs: 120_000 },
    );
    const { data } = await service.get<{ data: { recipient: string; message: string }[] }>(
      '/v1/account/messages?limit=100',
    );
    expect(data.length).toBeGreaterThan(30);
    for (const { recipient, message } of data)
      expect([recipient, message]).toEqual([expect.stringMatching(/\*{6}$/), '']);
  });
});
