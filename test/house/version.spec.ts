import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { VERSION } from '#config';
import { TestGateway } from '../support/gateway.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

test('the version is the one of the package and stands at the top of the changelog', () => {
  expect(VERSION).toBe(PACKAGE.version);
  const [, newest] = /^## \[?([^\]\s]+)\]? \(\d{4}-\d\d-\d\d\)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  expect(newest).toBe(VERSION);
  for (const file of ['package-lock.json', 'clients/typescript/package.json']) {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: VERSION });
  }
  // The chart asks for the image of its own version.
  const tags = readFileSync('docs/kubernetes.md', 'utf8').match(/(?<=\/heliograph:)[\d.]+/g);
  expect(new Set(tags)).toEqual(new Set([VERSION]));
});

test('/healthz and the OpenAPI document of a gateway tell its version', async () => {
  const gateway = await TestGateway.start();
  try {
    expect((await gateway.http.request('GET', '/healthz')).json).toEqual({ status: 'ok', version: VERSION });
    expect((await gateway.http.request('GET', '/openapi.json')).json).toMatchObject({ info: { version: VERSION } });
  } finally {
    await gateway.close();
  }
});
