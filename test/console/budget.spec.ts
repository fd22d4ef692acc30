import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { CONSOLES, firstFiles } from './built-console.js';

const SCRIPT_BYTES_MAX = 200_000;
const STYLE_BYTES_MAX = 25_000;

/** As the worst browser gets it. */
const compressedBytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);

describe.each(CONSOLES)("the %ss' console", (name) => {
  test.each([
    ['js', SCRIPT_BYTES_MAX],
    ['css', STYLE_BYTES_MAX],
  ] as const)('is there after a first load of little %s', (type, bytesMax) => {
    const files = firstFiles(name, type);
    expect(files.length).toBeGreaterThan(0);
    expect(compressedBytes(files)).toBeLessThanOrEqual(bytesMax);
  });
});
