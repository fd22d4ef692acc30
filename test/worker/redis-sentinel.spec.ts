import { describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig, parseRedisUrl, redisWords } from '#config';
import { findRedisServer } from '../../scripts/redis/local-redis.js';
import { RedisSentinels } from '../../scripts/redis/redis-sentinels.js';
import { runSmsctl } from '../smsctl/run-smsctl.js';
import { sendSingles } from '../support/send-singles.js';
import { serviceOnRedis } from '../support/service-on-redis.js';

const program = findRedisServer();

describe('REDIS_URL leads to one server or to the master of Sentinels', () => {
  test.each([
    ['redis://localhost', 'single', 'localhost:6379'],
    ['rediss://user:pa%40ss@redis.example:6380/3', 'single', 'redis.example:6380'],
    ['redis://[::1]:6379', 'single', '[::1]:6379'],
    ['redis+sentinel://a:26379,b:26380/mymaster', 'sentinel', 'mymaster of the Sentinels a:26379,b:26380'],
    ['redis+sentinel://a,b/mymaster/2', 'sentinel', 'mymaster of the Sentinels a:26379,b:26379'],
  ])('%s', (url, kind, words) => {
    const place = parseRedisUrl(url);
    expect([place.kind, redisWords(place)]).toEqual([kind, words]);
    expect(loadConfig({ REDIS_URL: url }).REDIS_URL).toBe(url);
  });

  test('user, password, database and the login of the Sentinels are taken from it, percent-decoded', () => {
    const url =
      'rediss+sentinel://us%3Aer:p%40:ss@[::1]:1,h2:2/my%2Fmaster/15?sentinelUsername=s&sentinelPassword=q%26q';
    expect(parseRedisUrl(url)).toEqual({
      kind: 'sentinel',
      addresses: [
        { host: '::1', port: 1 },
        { host: 'h2', port: 2 },
      ],
      master: 'my/master',
      database: 15,
      username: 'us:er',
      password: 'p@:ss',
      sentinelUsername: 's',
      sentinelPassword: 'q&q',
      tls: true,
    });
    expect(parseRedisUrl('redis+sentinel://:secret@a/m')).toMatchObject({ username: undefined, password: 'secret' });
  });

  test.each([
    ['http://localhost', 'REDIS_URL must be redis[s]://host:port'],
    ['redis://', 'REDIS_URL must be redis[s]://host:port'],
    ['redis://a:1,b:2', 'REDIS_URL must be redis[s]://host:port'],
    ['redis://a:70000', 'with ports of at most 65535'],
    ['redis://a:1/queue', 'REDIS_URL has no database number after its host'],
    ['redis+sentinel://a:26379', 'REDIS_URL names no master after its Sentinels'],
    ['redis+sentinel://a:26379/m/x', 'REDIS_URL has no database number after its master'],
    ['redis+sentinel://a:70000/m', 'REDIS_URL has no host:port in "a:70000"'],
    ['redis+sentinel://a,,b/m', 'REDIS_URL has no host:port in ""'],
    ['redis+sentinel://a/m?password=x', 'REDIS_URL has an unknown option password'],
  ])('%s is refused in one line that names the setting', (url, words) => {
    const load = () => loadConfig({ REDIS_URL: url });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(words);
  });

  test.each([
    'redis+sentinel://me:hun/ter@h1:26379',
    'redis+sentinel://me:hun/ter@h1:26379/mymaster',
    'redis+sentinel://me:hun?ter@h1:26379/mymaster',
    'redis+cluster://me:hun?ter@h1:6379',
  ])('a password that is not percent-encoded is told as that, and no part of it is shown: %s', (url) => {
    expect(() => loadConfig({ REDIS_URL: url })).toThrow(
      /^REDIS_URL has a user, password or master name that is not percent-encoded$/,
    );
  });
});

// As everywhere: without a redis-server on the PATH this does not exist, and REQUIRE_REDIS=1 makes its lack a failure.
if (program !== undefined) {
  describe('with the queue on a Redis under Sentinels', () => {
    const on = serviceOnRedis((dir) => RedisSentinels.start(program, dir), {
      simulator: { latencyMs: 20 },
      workers: 2,
    });

    test('the master is killed in the middle of load: all is delivered, once, and nobody who sends notices', async () => {
      await on.service.send('46701234567', 'before');
      await on.service.untilStatuses({ delivered: 1 });

      const sent = [sendSingles(on.service, 120)];
      await on.service.simulator.records.until(({ submits }) => submits.length >= 20, 60_000);
      const killed = await on.redis.killMaster();
      // Accepting does not need the queue: these come while there is no master.
      for (let single = 0; single < 20; single += 1)
        sent.push(on.service.send('46701234568', `${single}`).then((id) => [id]));
      await Promise.all(sent);
      await on.redis.untilMasterIsNot(killed);

      await on.service.untilStatuses({ delivered: 141 }, 120_000);
      expect(on.service.takenCopies).toBe(141);
      await on.service.send('46701234569', 'after');
      await on.service.untilStatuses({ delivered: 142 });
      expect(on.service.takenCopies).toBe(142);
      await on.redis.restart(killed);
    });

    test('`smsctl doctor` finds the master by the Sentinels', async () => {
      const { stdout } = await runSmsctl(['doctor', '--json'], {
        DATABASE_URL: on.service.settings.DATABASE_URL ?? '',
        REDIS_URL: on.redis.url,
      });
      const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
      expect(checks.find(({ check }) => check === 'queue')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining('mymaster of the Sentinels'),
      });
    });
  });
}
