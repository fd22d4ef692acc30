import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { v7 as uuidV7 } from 'uuid';
import { MessageTraces, parseTraceParent } from '#telemetry';
import { SHORT_LIVED_NODE_FLAGS } from '../../scripts/process/short-lived-node-flags.js';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, TestService } from '../support/service.js';
import { type ReceivedSpan, TraceReceiver } from '../support/trace-receiver.js';
import { ended, spawnWorker } from '../support/worker-process.js';

const GATEWAY = fileURLToPath(new URL('../../apps/gateway/main.js', import.meta.url));
const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TEXT = 'A text that no trace may hold.';

// Jobs have nothing of a trace: whatever has the id of a message knows its trace. One back end shows it.
describe.each(QUEUE_BACK_ENDS.slice(-1))('traces of a gateway and a worker, with the queue on %s', (backEnd) => {
  let receiver: TraceReceiver;
  let service: TestService;
  let gateway: ChildProcess;
  let worker: ChildProcess;
  let gatewayUrl: string;

  beforeAll(async () => {
    receiver = await TraceReceiver.start();
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      TRACE_SAMPLE_RATIO: '1',
    };
    service = await TestService.start({ backEnd, workers: 0, settings });
    const { NODE_OPTIONS: _forJest, ...environment } = process.env;
    // Nothing of the environment may send spans elsewhere, or leave them out.
    const confusing = { OTEL_SDK_DISABLED: 'true', OTEL_TRACES_SAMPLER: 'always_off', OTEL_SPAN_LINK_COUNT_LIMIT: '0' };
    const env = { ...environment, ...service.settings, ...confusing, PORT: '0', LOG_LEVEL: 'info' };
    const spawned = spawn(process.execPath, [...SHORT_LIVED_NODE_FLAGS, GATEWAY], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    gateway = spawned;
    worker = spawnWorker(service);
    gatewayUrl = `http://127.0.0.1:${await portOf(spawned)}`;
    await eventually(async () => expect((await fetch(`${gatewayUrl}/readyz`)).status).toBe(200), {
      timeoutMs: 120_000,
    });
  });
  afterAll(async () => {
    await ended(gateway, 'SIGTERM');
    await ended(worker, 'SIGTERM');
    await service.close();
    await receiver.close();
  });

  const traceOf = (id: string) => receiver.ofTrace(id.replaceAll('-', ''));
  // A carrier may send a receipt again, which is stored again.
  const firstOfEach = (id: string): ReceivedSpan[] =>
    traceOf(id).filter((span, index, all) => all.findIndex(({ name }) => name === span.name) === index);
  const untilNames = async (id: string, names: readonly string[]): Promise<ReceivedSpan[]> => {
    await eventually(async () => expect(firstOfEach(id).map(({ name }) => name)).toEqual(names), {
      timeoutMs: 120_000,
    });
    return firstOfEach(id);
  };

  test('one trace has a message from the request over the queue to the PDU and the receipt', async () => {
    const headers = { traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-00` };
    const body = { recipient: numberOf(1), message: TEXT };
    const { messageId } = await service.post<{ messageId: string }>('/v1/message/send', body, gatewayUrl, headers);
    const [accept, claim, submit, receipt] = await untilNames(messageId, [
      'accept',
      'claim',
      'submit simulator',
      'receipt',
    ]);
    expect([accept, claim, submit, receipt].map((span) => span?.service)).toEqual([
      'heliograph-gateway',
      'heliograph-worker',
      'heliograph-worker',
      'heliograph-worker',
    ]);
    expect(accept?.parentSpanId).toBeUndefined();
    expect([claim, submit, receipt].map((span) => span?.parentSpanId)).toEqual(Array(3).fill(accept?.spanId));
    expect(claim?.end).toBeGreaterThanOrEqual(accept?.start ?? 0n);
    expect(receipt?.end).toBeGreaterThanOrEqual(submit?.start ?? 0n);
    expect(receipt?.attributes).toMatchObject({
      'messaging.message.id': messageId,
      'messaging.destination.name': 'simulator',
      'heliograph.state': 'delivered',
    });

    const request = receiver.ofTrace(CLIENT.traceId)[0];
    expect(request).toMatchObject({ name: 'POST /v1/message/send', parentSpanId: CLIENT.spanId });
    expect(accept?.links).toEqual([{ traceId: CLIENT.traceId, spanId: request?.spanId }]);
    expect(accept?.start).toBe(request?.start);
  });

  test('each message of a batch has a trace, each segment a submit and a receipt, and all link to one request', async () => {
    const entries = [
      { recipient: numberOf(2), message: TEXT },
      { recipient: numberOf(3), message: TEXT.repeat(6) },
    ];
    const [short = '', long = ''] = await service.sendBatch(entries, gatewayUrl);
    const [first] = await untilNames(short, ['accept', 'claim', 'submit simulator', 'receipt']);
    const segmentsOf = (name: string) => {
      const spans = traceOf(long).filter((span) => span.name === name);
      return [...new Set(spans.map(({ attributes }) => attributes['heliograph.segment']))].sort();
    };
    await eventually(
      async () => {
        expect(segmentsOf('submit simulator')).toEqual(['1', '2']);
        expect(segmentsOf('receipt')).toEqual(['1', '2']);
      },
      { timeoutMs: 120_000 },
    );
    const [second] = traceOf(long);
    expect(second?.links).toEqual(first?.links);
    expect(first?.links).toHaveLength(1);
    const [link] = first?.links ?? [];
    expect(receiver.ofTrace(link?.traceId ?? '').map(({ name }) => name)).toEqual(['POST /v1/message/send-batch']);
  });

  test('no span holds a text, a number or an account', () => {
    expect(receiver.text).toContain('accept');
    expect([...receiver.keys]).toEqual(['a key']);
    expect(receiver.text).not.toContain(TEXT);
    expect(receiver.text).not.toContain('46701');
    expect(receiver.text).not.toContain(`"${service.accountId}"`);
  });
});

describe('sampling', () => {
  const log = pino({ level: 'silent' });
  const open = (ratio: number) =>
    MessageTraces.open({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', TRACE_SAMPLE_RATIO: ratio }, 'worker', log);

  test.each([
    [1, 10_000, 10_000],
    [0.5, 4_700, 5_300],
    [0.01, 60, 150],
    [0, 0, 0],
  ])('of 10,000 messages a ratio of %d samples between %d and %d', async (ratio, least, most) => {
    const traces = await open(ratio);
    const sampled = Array.from({ length: 10_000 }, () => uuidV7()).filter((id) => traces.samples(id)).length;
    await traces.close();
    expect(sampled).toBeGreaterThanOrEqual(least);
    expect(sampled).toBeLessThanOrEqual(most);
  });

  test.each([
    ['that cannot be read', '/nowhere', 'cannot be read (ENOENT)'],
    ['that holds none', GATEWAY, 'holds no PEM certificate'],
  ])('a file of certificates %s is named with its setting', async (_what, file, words) => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_CERTIFICATE: file };
    await expect(MessageTraces.open({ ...settings, TRACE_SAMPLE_RATIO: 1 }, 'worker', log)).rejects.toThrow(
      `OTEL_EXPORTER_OTLP_CERTIFICATE (or its twin for traces): ${file} ${words}`,
    );
  });

  test('without OTEL_EXPORTER_OTLP_ENDPOINT no message is sampled, and a process does not load the library for traces', () => {
    const script = `
      import { createRequire } from 'node:module';
      import { pino } from 'pino';
      import { MessageTraces } from '#telemetry';
      const traces = await MessageTraces.open({ TRACE_SAMPLE_RATIO: 1 }, 'worker', pino({ level: 'silent' }));
      const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => /opentelemetry.*(sdk-trace|exporter|resources)/.test(file));
      console.log(JSON.stringify([traces.isOn, traces.samples('019aa5c4-1c2e-7cc3-a1b4-000000000000'), loaded]));`;
    const { NODE_OPTIONS: _forJest, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual([false, false, []]);
  });
});

describe("a client's traceparent", () => {
  const { traceId, spanId } = CLIENT;

  test.each([
    [`00-${traceId}-${spanId}-01`, CLIENT],
    [`00-${traceId}-${spanId}-00`, CLIENT],
    [`01-${traceId}-${spanId}-01-what-a-later-version-adds`, CLIENT],
    [`00-${traceId}-${spanId}-01-more`, undefined],
    [`ff-${traceId}-${spanId}-01`, undefined],
    [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
    ['nonsense', undefined],
    [undefined, undefined],
  ])('%s', (header, wanted) => {
    expect(parseTraceParent(header)).toEqual(wanted);
  });
});

/** The port that a gateway has chosen, as its log says it. */
function portOf(gateway: ChildProcess & { readonly stdout: Readable }): Promise<number> {
  return new Promise((resolve, reject) => {
    createInterface({ input: gateway.stdout }).on('line', (line) => {
      const { msg, port } = JSON.parse(line) as { readonly msg: string; readonly port: number };
      if (msg === 'gateway ready') resolve(port);
    });
    gateway.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
  });
}
