import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { planSegments } from '#billing';
import { type FaultOptions, parseCommandLine } from '../../tools/faults/command-line.js';
import { nameIn } from '../../tools/faults/history/carrier-log.js';
import { historyOf } from '../../tools/faults/history/history.js';
import { endOf } from '../../tools/faults/load/attempt.js';
import { SendPlan } from '../../tools/faults/load/plan-sends.js';
import { acceptLatency, timesToAccept } from '../../tools/faults/result.js';
import { flagsOf, planRuns } from '../../tools/faults/run-faults.js';
import { SCENARIOS } from '../../tools/faults/scenarios/index.js';
import { Link } from '../../tools/harness/link.js';
import { listen } from '../../tools/harness/listen.js';
import { until } from '../support/until.js';

describe('what the load sends', () => {
  test('the same seed gives the same sends, another seed others', () => {
    const first = (seed: number) => {
      const plan = new SendPlan(seed, 3, 2, true);
      return Array.from({ length: 50 }, () => plan.next());
    };
    expect(first(7)).toEqual(first(7));
    expect(first(7)).not.toEqual(first(8));
  });

  test('every segment names its message, and there are as many as the plan says', () => {
    const plan = new SendPlan(3, 3, 2, true);
    const sizes = new Set<string>();
    for (let count = 0; count < 2_000; count += 1) {
      const { messages, texts } = plan.next();
      for (const [index, { name, recipient, segments }] of messages.entries()) {
        const text = texts[index] ?? '';
        const split = planSegments(text);
        expect(split.segments).toHaveLength(segments);
        expect(split.segments.map((segment) => nameIn(segment))).toEqual(split.segments.map(() => name));
        expect(recipient).not.toMatch(/999000\d\d$/);
        sizes.add(`${split.encoding} ${split.segments.length}`);
      }
    }
    expect([...sizes].sort()).toEqual([
      'extended 1',
      'extended 2',
      'extended 3',
      'standard 1',
      'standard 2',
      'standard 3',
    ]);
  });
});

describe('what an answer means to the client', () => {
  const answered = (status: number, text: string, headers = {}) => endOf({ status, text, headers, wasConnected: true });
  const problem = (code: string) => JSON.stringify({ code });

  test('only a code that promises that nothing was charged is a refusal', () => {
    expect(answered(503, problem('overloaded')).outcome).toBe('refused');
    expect(answered(402, problem('insufficient_balance')).outcome).toBe('refused');
    expect(answered(503, problem('unavailable')).outcome).toBe('unknown');
    expect(answered(500, problem('internal_error')).outcome).toBe('unknown');
    expect(answered(201, '{"messageId":').outcome).toBe('unknown');
    expect(endOf({ status: 0, text: '', headers: {}, code: 'ECONNRESET', wasConnected: true }).outcome).toBe('unknown');
    expect(endOf({ status: 0, text: '', headers: {}, code: 'ECONNREFUSED', wasConnected: false }).outcome).toBe(
      'unreached',
    );
  });

  test('an acceptance tells its ids and what each message costs, and whether it is a repeat', () => {
    expect(answered(201, '{"messageId":"a","balanceDeduction":"0.010000"}')).toEqual({
      outcome: 'ok',
      status: 201,
      ids: ['a'],
      amounts: ['10000'],
    });
    const summary = '[{"messageId":"a","amount":0.01},{"messageId":"b","amount":0.0075}]';
    expect(answered(201, `{"orderSummary":${summary}}`, { 'idempotent-replayed': 'true' })).toEqual({
      outcome: 'ok',
      status: 201,
      ids: ['a', 'b'],
      amounts: ['10000', '7500'],
      isReplay: true,
    });
  });
});

describe('how long recovery took', () => {
  const history = historyOf([
    { kind: 'send', atMs: 0, send: 1, account: '1', key: 'k', isBatch: false, messages: [] },
    { kind: 'attempt', atMs: 100, endedAtMs: 900, send: 1, attempt: 1, gateway: 0, outcome: 'unknown' },
    { kind: 'attempt', atMs: 1_000, endedAtMs: 1_200, send: 1, attempt: 2, gateway: 1, outcome: 'ok' },
    { kind: 'attempt', atMs: 1_300, endedAtMs: 1_500, send: 1, attempt: 3, gateway: 0, outcome: 'ok' },
  ]);

  test('it ends with the first accepted send, at that gateway or for that account where one is meant', () => {
    expect(timesToAccept(history, [{ fromMs: 500 }])).toEqual([700]);
    expect(timesToAccept(history, [{ fromMs: 500, gateway: 0 }])).toEqual([1_000]);
    expect(timesToAccept(history, [{ fromMs: 500, account: '2' }])).toEqual([]);
  });
});

describe('how long accepting took', () => {
  test('is told apart by whether something was spoilt when the attempt began; repeats do not count', () => {
    const attempt = (atMs: number, tookMs: number, isReplay = false) =>
      ({
        kind: 'attempt',
        atMs,
        endedAtMs: atMs + tookMs,
        send: 1,
        attempt: 1,
        gateway: 0,
        outcome: 'ok',
        isReplay,
      }) as const;
    const history = historyOf([
      { kind: 'send', atMs: 0, send: 1, account: '1', key: 'k', isBatch: false, messages: [] },
      ...[attempt(100, 5), attempt(250, 70), attempt(260, 900, true), attempt(400, 6)],
      { kind: 'fault', atMs: 200, fault: 'carrier-slow', detail: '' },
      { kind: 'mended', atMs: 300, fault: 'carrier-slow', detail: '' },
    ]);
    expect(acceptLatency(history)).toEqual({ calmP99Ms: 6, faultP99Ms: 70 });
  });
});

describe('what is run', () => {
  const said: string[] = [];
  const plan = (options: FaultOptions, hasRedis = true) => planRuns(options, (line) => said.push(line), hasRedis);
  const planOf = (...args: string[]) => plan(parseCommandLine(args));
  beforeEach(() => {
    said.length = 0;
  });

  test('everything on its own number of rounds, without what needs a Redis that is not there; that is named', () => {
    const names = (hasRedis: boolean) => plan(parseCommandLine([]), hasRedis).map(({ scenario }) => scenario.name);
    const possible = SCENARIOS.filter(({ missing }) => missing?.(undefined) === undefined);
    expect(names(true)).toEqual(possible.map(({ name }) => name));
    expect(said).toContainEqual(expect.stringMatching(/^upgrade is left out: it needs --from/));
    expect(said).toHaveLength(SCENARIOS.length - possible.length);
    expect(names(false)).toEqual(possible.filter(({ queue }) => queue !== 'redis').map(({ name }) => name));
    expect(said).toContainEqual(expect.stringMatching(/^redis-flush is left out: it needs .* on the PATH$/));
  });

  test('the short form is a mix of all kills on each queue, and says which settings it shortens', () => {
    const plans = planOf('--short');
    expect(plans.map(({ scenario, queue }) => `${scenario.name} ${queue}`)).toEqual(['mixed redis', 'mixed postgres']);
    expect(plans[0]?.settings).toHaveProperty('IN_DOUBT_WAIT_SECONDS');
    expect(planOf()[0]?.settings).toEqual({});
  });

  test('a scenario that cannot run on the queue that was asked for is refused in one line', () => {
    const options = parseCommandLine(['--only', 'redis-flush', '--queue', 'postgres']);
    expect(() => plan(options)).toThrow(/^redis-flush needs the queue on redis$/);
    expect(() => plan(parseCommandLine(['--only', 'redis-flush']), false)).toThrow(/on the PATH$/);
  });

  test('an upgrade needs to be told from what, and nothing else starts as that version', () => {
    expect(() => planOf('--only', 'upgrade')).toThrow(/^upgrade needs --from/);
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const plans = planOf('--only', 'upgrade,worker-kill', '--from', root);
    expect(plans.map(({ earlierVersion }) => earlierVersion)).toEqual([resolve(root), undefined]);
  });

  test.each([
    ['--short', '--queue', 'redis'],
    ['--only', 'mixed', '--rate', '90', '--rounds', '4'],
    ['--only', 'receipts', '--receipts', '300'],
    ['--only', 'upgrade', '--from', fileURLToPath(new URL('../../../', import.meta.url))],
  ])('what a violation gives as the command to run it again is the same run: %s %s', (...flags) => {
    const options = parseCommandLine(['--seed', '7', ...flags]);
    const [run] = plan(options);
    const again = parseCommandLine(flagsOf(run as NonNullable<typeof run>, options).split(' '));
    expect(plan(again)).toEqual([run]);
    const { seed, short, rate, receipts } = options;
    expect(again).toMatchObject({ seed, short, receipts, ...(rate !== undefined && { rate }) });
  });

  test('names and lines of scenarios are told apart', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    for (const { name, says, rounds } of SCENARIOS) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(says.length).toBeLessThan(120);
      expect(rounds).toBeGreaterThan(0);
    }
  });
});

describe('a link between two processes', () => {
  let echo: Server | undefined;
  let link: Link | undefined;
  const clients: Socket[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await link?.close();
    echo?.close();
  });

  /** A client of a server that answers every piece with the same piece and notes it. */
  async function open(): Promise<{ link: Link; received: string[]; client: Socket; answers: string[] }> {
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        received.push(bytes.toString());
        socket.write(bytes);
      });
    });
    echo = server;
    link = await Link.open(await listen(server));
    const { client, answers } = await join(link);
    return { link, received, client, answers };
  }

  async function join(through: Link): Promise<{ client: Socket; answers: string[] }> {
    const answers: string[] = [];
    const client = connect(through.port, '127.0.0.1');
    clients.push(client);
    client.on('error', () => undefined);
    client.on('data', (bytes: Buffer) => answers.push(bytes.toString()));
    await once(client, 'connect');
    return { client, answers };
  }

  /** However it came to that. */
  const closed = (client: Socket) => new Promise<void>((resolve) => client.once('close', () => resolve()));

  test('cut, it resets what is open and what comes; mended, it carries again', async () => {
    const { link: spoilt, client } = await open();
    client.write('one');
    await once(client, 'data');
    spoilt.cut();
    await closed(client);
    const late = connect(spoilt.port, '127.0.0.1');
    late.on('error', () => undefined);
    await closed(late);
    spoilt.mend();
    const next = await join(spoilt);
    next.client.write('two');
    expect(String((await once(next.client, 'data'))[0])).toBe('two');
  });

  test('with responses lost, requests arrive, and mending resets what has a gap', async () => {
    const { link: spoilt, received, client, answers } = await open();
    spoilt.loseResponses();
    client.write('one');
    await until('the request arrives', () => received.length === 1);
    const isClosed = closed(client);
    await until('the response was swallowed', () => spoilt.gaps === 1);
    spoilt.mend();
    await isClosed;
    expect(answers).toEqual([]);
  });

  test('hanging, it takes connections and bytes, and nothing arrives', async () => {
    const { link: spoilt, received, client } = await open();
    spoilt.hang();
    client.write('one');
    await until('the bytes were swallowed', () => spoilt.gaps === 1);
    expect(received).toEqual([]);
    expect(client.destroyed).toBe(false);
  });

  test('when the latency is gone, what comes then does not overtake what is on its way', async () => {
    const { link: spoilt, received, client, answers } = await open();
    spoilt.delayBy(150);
    client.write('one ');
    await until('the first answer is on its way', () => received.length === 1);
    expect(answers).toEqual([]);
    spoilt.mend();
    client.write('two');
    await until('both are back', () => answers.join('').length === 7);
    expect(answers.join('')).toBe('one two');
  });

  test('with latency, everything arrives later and in order', async () => {
    const { link: spoilt, client, answers } = await open();
    spoilt.delayBy(40);
    const startMs = performance.now();
    client.write('one');
    await until('the answer is back', () => answers.length === 1);
    expect(performance.now() - startMs).toBeGreaterThan(75);
  });
});
