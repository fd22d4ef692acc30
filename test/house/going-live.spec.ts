import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FILE_SETTINGS, loadConfig, PROCESS_SETTINGS, type ServiceProcessName } from '#config';
import { runSmsctl } from '../smsctl/run-smsctl.js';

const page = readFileSync('docs/going-live.md', 'utf8');
const security = readFileSync('SECURITY.md', 'utf8');
const operations = readFileSync('docs/operations.md', 'utf8');
const settings = new Set(
  [...readFileSync('.env.example', 'utf8').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map((match) => match[1]),
);
const UNITS = 'deploy/systemd';
const units = readdirSync(UNITS).map((name) => ({ name, text: readFileSync(join(UNITS, name), 'utf8') }));

/** As they stand in code, without their arguments: `secrets key`, `doctor`. */
function smsctlCommands(): string[] {
  const calls = [page, security, operations].flatMap((text) => [...text.matchAll(/smsctl(?:`| )([a-z][a-z ]*[a-z])/g)]);
  const words = calls.map((match) => (match[1] ?? '').split(' '));
  return [...new Set(words.map(([topic = '', verb = '']) => `${topic} ${verb}`.trim()))];
}

describe('docs/going-live.md tells what there is', () => {
  test('every command of smsctl that it, SECURITY.md and docs/operations.md name has a help page', async () => {
    const commands = smsctlCommands();
    expect(commands.length).toBeGreaterThan(15);
    const unknown: string[] = [];
    for (const command of commands) {
      const { code, stdout } = await runSmsctl([...command.split(' '), '--help'], {});
      if (code !== 0 || !stdout.startsWith('Usage: smsctl ')) unknown.push(command);
    }
    expect(unknown.filter((command) => !/^(and|of|is|has|the) ?/.test(command))).toEqual([]);
  });

  test('every setting that it names stands in .env.example', () => {
    const named = [...page.matchAll(/^([A-Z][A-Z_]+)=/gm), ...page.matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(
      (match) => match[1] ?? '',
    );
    expect(named.length).toBeGreaterThan(3);
    // Those of Node are its own.
    expect(named.filter((name) => !settings.has(name) && !name.startsWith('NODE_'))).toEqual([]);
  });

  test('every file of the repository that it names is there', () => {
    const linked = [...page.matchAll(/\]\((?:\.\.\/)?([a-z.][\w./-]*)(?:#[\w-]*)?\)/g)].map((match) => match[1] ?? '');
    const inCommands = [...page.matchAll(/(?:^|\s|heliograph\/)((?:deploy|bin|data)\/[\w./-]*\w)/gm)].map(
      (match) => match[1] ?? '',
    );
    const missing = [...linked, ...inCommands].filter((file) => !existsSync(file) && !existsSync(join('docs', file)));
    expect(linked.length + inCommands.length).toBeGreaterThan(8);
    expect(missing).toEqual([]);
  });

  test('its redis.conf is one that Redis takes: a comment behind a value would be a further argument', () => {
    const [, lines = ''] = /In `redis\.conf`[^\n]*\n\n```\n([\s\S]*?)```/.exec(page) ?? [];
    expect(lines).toContain('maxmemory-policy noeviction');
    expect(lines.split('\n').filter((line) => /^[^#].*#/.test(line))).toEqual([]);
  });

  test('its redis-url names the user, without whom redis-cli sends an empty one', () => {
    expect(page).toMatch(/^echo 'redis:\/\/default:\S+' > redis-url$/m);
  });

  test('its production modules are those of the image', () => {
    const flags = 'npm ci --omit=dev --omit=peer --ignore-scripts';
    expect(page).toContain(flags);
    expect(readFileSync('Dockerfile', 'utf8')).toContain(flags);
  });
});

describe('the systemd units', () => {
  test.each(units)('$name runs a program of ours as an ordinary user without capabilities', ({ text }) => {
    const program = /^ExecStart=\/usr\/bin\/node (?:--\S+ )?dist\/(\S+)\.js$/m.exec(text)?.[1] ?? '';
    expect(existsSync(`${program}.ts`)).toBe(true);
    expect(text).toMatch(/^User=heliograph$/m);
    for (const line of ['NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict', 'PrivateTmp=yes']) {
      expect(text.split('\n')).toContain(line);
    }
  });

  test.each([
    ['heliograph-gateway.service', 'gateway'],
    ['heliograph-worker@.service', 'worker'],
    ['heliograph-webhooks.service', 'webhooks'],
  ] as const satisfies [string, ServiceProcessName][])(
    '%s hands out the secrets of a %s and no others',
    (name, process) => {
      const text = units.find((unit) => unit.name === name)?.text ?? '';
      const given = [...text.matchAll(/^Environment=([A-Z_]+)_FILE=%d\/([a-z-]+)$/gm)];
      const loaded = [...text.matchAll(/^LoadCredential=([a-z-]+):/gm)].map((match) => match[1]);
      expect(given.map((match) => match[2])).toEqual(loaded);
      // A pooler, a replica and a collector of traces are not on this page.
      const own = PROCESS_SETTINGS[process].filter((setting) => FILE_SETTINGS.some((one) => one === setting));
      const usual = own.filter((setting) => !/DIRECT|REPLICA|OTLP/.test(setting));
      expect(given.map((match) => match[1]).sort()).toEqual([...usual].map(String).sort());
    },
  );

  test.each(units)('$name starts where heliograph.env opens the metrics to other machines', ({ text }) => {
    const environment = new Map([
      ['WORKER_METRICS_HOST', '0.0.0.0'],
      ['WEBHOOKS_METRICS_HOST', '0.0.0.0'],
      ['DATABASE_URL', 'postgres://h/d'],
    ]);
    if (text.includes('METRICS_PASSWORD_FILE=')) environment.set('METRICS_PASSWORD', 'x'.repeat(16));
    for (const name of /^UnsetEnvironment=(.*)$/m.exec(text)?.[1]?.split(' ') ?? []) environment.delete(name);
    expect(() => loadConfig(Object.fromEntries(environment))).not.toThrow();
  });

  test.each(units.filter(({ text }) => text.includes('Restart=always')))(
    '$name starts again for as long as its database is away: systemd gives up after five starts in ten seconds',
    ({ text }) => {
      expect(text.split('[Service]')[0]).toMatch(/^StartLimitIntervalSec=0$/m);
    },
  );

  test('are what systemd understands, where it is there to say so', () => {
    const files = units.map(({ name }) => join(UNITS, name));
    const { error, stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
    const complaints = (error === undefined ? stderr : '')
      .split('\n')
      .filter((line) => /heliograph.*(Unknown|Invalid|Failed to parse)/i.test(line));
    expect(complaints).toEqual([]);
  });
});

describe('the systemd units expose little of the machine', () => {
  /** Tenths of the scale from 0 (locked in) to 10 (no protection) on which systemd rates a unit; 2 is its "OK". */
  const EXPOSURE_TENTHS_MAX = 20;

  test.each(units)('$name, as systemd rates it, where it is there to do so', ({ name }) => {
    const { error, status, stdout } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=yes', '--no-pager', `--threshold=${EXPOSURE_TENTHS_MAX}`, join(UNITS, name)],
      { encoding: 'utf8' },
    );
    const verdict = error === undefined && status !== 0 ? stdout : '';
    expect(verdict).toBe('');
  });

  test.each(units)(
    '$name keeps what Node needs: compiling at run time, protecting what it compiled, and lowering its priority',
    ({ text }) => {
      expect(text).not.toMatch(/^MemoryDenyWriteExecute=|^SystemCallFilter=.*~.*@resources/m);
      // V8 asks for a memory protection key at its start, and @system-service of systemd 252 has none: SIGSYS.
      expect(text).toMatch(/^SystemCallFilter=@system-service @pkey$/m);
    },
  );
});

test('SECURITY.md names the supported version, and no address that nobody reads', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(security).toContain(`| ${version.replace(/\.\d+$/, '.x')} `);
  expect(security).not.toMatch(/[\w.]+@[\w-]+\.[a-z]{2,}/);
});
