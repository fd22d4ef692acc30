import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { suppressions } from '../../apps/console/owner/words/suppressions.js';

const SOURCES = new URL('../../../apps/console/', import.meta.url).pathname;
const isWords = (file: string) => /(^|\/)words(\/[\w-]+)?\.ts$/.test(file);

/** The keys of a catalogue, by the indentation that the formatter gives them; of a map, its own key only. */
function keysOf(catalogue: string, isMap: (key: string) => boolean): string[] {
  const keys: string[] = [];
  let mapIndent = Number.POSITIVE_INFINITY;
  for (const line of catalogue.split('\n')) {
    const [, indent = '', key] = /^( +)(\w+):/.exec(line) ?? [];
    if (key === undefined || indent.length > mapIndent) continue;
    mapIndent = isMap(key) ? indent.length : Number.POSITIVE_INFINITY;
    keys.push(key);
  }
  return keys;
}

test.each(['operator', 'owner', 'shell'])('every word of the catalogue of %s is shown somewhere', (name) => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const pages = files
    .filter((file) => !isWords(file) && (name === 'shell' || file.startsWith(`${name}/`)))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
    .join('\n');
  const named = new Set(pages.match(/\w+/g));
  // Words that are looked up by a value of the service, or all listed.
  const maps = new Set([
    ...Array.from(pages.matchAll(/(\w+)(?: as [^)]+\))?\[/g), ([, key]) => key),
    ...Array.from(pages.matchAll(/Object\.(?:entries|keys|values)\([\w.]*?(\w+)\)/g), ([, key]) => key),
  ]);
  const catalogues = files.filter((file) => isWords(file) && file.startsWith(`${name}/`));
  expect(catalogues.length).toBeGreaterThan(0);
  const unused = catalogues.flatMap((file) =>
    keysOf(readFileSync(join(SOURCES, file), 'utf8'), (key) => maps.has(key))
      .filter((key) => !named.has(key))
      .map((key) => `${file}: ${key}`),
  );
  expect(unused).toEqual([]);
});

test('a guard that allows one message an hour says so', () => {
  const { recipientHourMax, rangeHourMax } = suppressions.rules.names;
  expect(recipientHourMax(1)).toBe('At most 1 message an hour to one number.');
  expect(rangeHourMax(1)).toBe('At most 1 message an hour to one range of numbers.');
  expect(rangeHourMax(30)).toBe('At most 30 messages an hour to one range of numbers.');
});
