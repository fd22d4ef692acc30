import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database, findCarrier, listCarriers, openCarrier } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { type Run, runSmsctl } from './run-smsctl.js';

describe('a carrier that is reached by an HTTP API', () => {
  let server: TestDatabase;
  let database: Database;
  const smsctl = (...args: string[]): Promise<Run> => runSmsctl(args, { DATABASE_URL: server.url });
  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({
      url: server.url,
      poolSize: 2,
      applicationName: 'spec',
      secretKeys: TEST_SECRET_KEYS,
    });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('is added by one URL, with its options, and its token is shown nowhere', async () => {
    const url = 'https://AC1:t0ken@api.example.com/sms?callbackUrl=https://sms.example.org&sender=%2B46700100200';
    const added = await smsctl('carrier', 'add', 'acme', url);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const listed = await smsctl('carrier', 'list', '--json');
    expect(added.stdout + listed.stdout).not.toContain('t0ken');
    expect((await listCarriers(database)).map((one) => openCarrier(database.secretKeys, one))).toEqual([
      expect.objectContaining({
        name: 'acme',
        protocol: 'http',
        host: 'api.example.com',
        port: 443,
        tls: true,
        systemId: 'AC1',
        password: 't0ken',
        options: { pathPrefix: '/sms', callbackUrl: 'https://sms.example.org', sender: '+46700100200' },
      }),
    ]);
  });

  test('gets the path of another URL, and none if that URL has none; its other options stay', async () => {
    const optionsAfter = async (url: string, ...flags: string[]) => {
      expect(await smsctl('carrier', 'set', 'acme', '--url', url, ...flags)).toMatchObject({ code: 0 });
      return (await findCarrier(database, 'acme')).options;
    };
    const others = { callbackUrl: 'https://sms.example.org', sender: '+46700100200' };
    expect(await optionsAfter('https://AC1@api.example.com/v2')).toEqual({ ...others, pathPrefix: '/v2' });
    expect(await optionsAfter('https://AC1@api.example.com')).toEqual(others);
    const withFlag = await optionsAfter('https://AC1@api.example.com', '--path-prefix', '/v3');
    expect(withFlag).toEqual({ ...others, pathPrefix: '/v3' });
  });

  test('with an option that nobody knows is refused in one line, without its token', async () => {
    const run = await smsctl('carrier', 'add', 'other', 'https://AC1:t0ken@api.example.com?colour=red');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/callbackUrl, sender/);
    expect(run.stderr).not.toContain('t0ken');
  });
});
