import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { scrape } from '../support/metrics.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { numberOf, TestService } from '../support/service.js';

describe('the figures of the service', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({
      backEnd: CHEAPEST_BACK_END,
      carrier: 'none',
      workers: 1,
      settings: { OPERATOR_PASSWORD, LEDGER_VERIFY_SECONDS: '1' },
    });
  });
  afterAll(() => service.close());

  const values = async (name: string, labels: Record<string, string> = {}) =>
    (await scrape(service.operatorPort, '/metrics/service', OPERATOR_PASSWORD))
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .map(({ value }) => value);
  const until = (name: string, labels: Record<string, string>, check: (value: number) => void) =>
    eventually(
      async () => {
        const [value] = await values(name, labels);
        expect([name, typeof value]).toEqual([name, 'number']);
        check(value ?? 0);
      },
      { intervalMs: 250 },
    );

  test('tell for how long single messages and batches wait, each for itself', async () => {
    await service.send(numberOf(1), 'waits for a carrier');
    await until('heliograph_oldest_waiting_seconds', { lane: 'interactive' }, (age) =>
      expect(age).toBeGreaterThan(0.5),
    );
    expect(await values('heliograph_oldest_waiting_seconds', { lane: 'bulk' })).toEqual([0]);
    await service.sendMany(3);
    await until('heliograph_oldest_waiting_seconds', { lane: 'bulk' }, (age) => expect(age).toBeGreaterThan(0.5));
  });

  test('count scheduled messages until their time comes or they are canceled', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const ids = [];
    for (const index of [1, 2, 3]) {
      const body = { recipient: numberOf(index), message: 'later', sendAt };
      ids.push((await service.post<{ messageId: string }>('/v1/message/send', body)).messageId);
    }
    await until('heliograph_orders_open', { state: 'scheduled' }, (count) => expect(count).toBe(3));
    await service.post(`/v1/message/${ids[1]}/cancel`, {});
    await until('heliograph_orders_open', { state: 'scheduled' }, (count) => expect(count).toBe(2));
  });

  test('tell of a drift of the ledger without anybody asking, and of its end', async () => {
    const drift = (micros: number) =>
      service.database.query('update account_balance set deposited = deposited + $1 where account_id = $2', [
        micros,
        service.accountId,
      ]);
    const worst = async () => Math.max(...(await values('heliograph_ledger_check_failures')));
    await until('heliograph_ledger_verified_timestamp_seconds', {}, (at) =>
      expect(Math.abs(Date.now() / 1_000 - at)).toBeLessThan(60),
    );
    expect(await worst()).toBe(0);
    await drift(1);
    await eventually(async () => expect(await worst()).toBe(1), { intervalMs: 250 });
    await drift(-1);
    await eventually(async () => expect(await worst()).toBe(0), { intervalMs: 250 });
  });

  test('tell no moment of a verification before the first one', async () => {
    const unverified = await TestService.start({
      backEnd: CHEAPEST_BACK_END,
      carrier: 'none',
      workers: 1,
      settings: { OPERATOR_PASSWORD, LEDGER_VERIFY_SECONDS: '0' },
    });
    const figures = await scrape(unverified.operatorPort, '/metrics/service', OPERATOR_PASSWORD);
    await unverified.close();
    const of = (name: string) => figures.filter((sample) => sample.name === name);
    expect(of('heliograph_ledger_verified_timestamp_seconds')).toEqual([]);
    expect(of('heliograph_hold_active')).toHaveLength(1);
  });

  test('tell of a first verification when a worker has started, not a round of it later', async () => {
    const hourly = await TestService.start({
      backEnd: CHEAPEST_BACK_END,
      carrier: 'none',
      workers: 1,
      settings: { OPERATOR_PASSWORD },
    });
    const verified = async () =>
      (await scrape(hourly.operatorPort, '/metrics/service', OPERATOR_PASSWORD)).some(
        ({ name }) => name === 'heliograph_ledger_verified_timestamp_seconds',
      );
    await eventually(async () => expect(await verified()).toBe(true), { intervalMs: 250, timeoutMs: 30_000 });
    await hourly.close();
  });

  test('tell how large the database is, and how many connections it has', async () => {
    await until('heliograph_database_size_bytes', {}, (bytes) => expect(bytes).toBeGreaterThan(1_000_000));
    const [connections = 0] = await values('heliograph_database_connections');
    const [most = 0] = await values('heliograph_database_connections_max');
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(most);
  });
});
