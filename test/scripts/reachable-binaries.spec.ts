import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findBinaries, type PostgresBinaries } from '../../scripts/postgres/binaries.js';
import { reachableBinaries } from '../../scripts/postgres/reachable-binaries.js';
import { chooseServerUser } from '../../scripts/postgres/server-user.js';

/** Undefined when the specs run as an ordinary user, who runs the server himself. */
const user = chooseServerUser('/nowhere');

describe('the programs of the bundled PostgreSQL in a folder that is closed to others', () => {
  let dir: string;
  let closed: PostgresBinaries;
  const placed: string[] = [];

  beforeAll(async () => {
    const { root, postgres, initdb } = await findBinaries();
    // Like a clone in /root.
    dir = mkdtempSync(join(tmpdir(), 'heliograph-closed-'));
    const copy = join(dir, 'native');
    expect(spawnSync('cp', ['-a', root, copy]).status).toBe(0);
    const inCopy = (path: string) => join(copy, path.slice(root.length));
    closed = { root: copy, postgres: inCopy(postgres), initdb: inCopy(initdb) };
  });
  afterAll(() => {
    for (const folder of [dir, ...placed]) rmSync(folder, { recursive: true, force: true });
  });

  function place(): PostgresBinaries {
    const reachable = reachableBinaries(closed, user);
    if (reachable.root !== closed.root) placed.push(reachable.root);
    return reachable;
  }

  const runs = (program: string) => spawnSync(program, ['--version'], { ...user, cwd: '/' }).status === 0;

  test('are placed where the user of the server can run them, and nobody but root can change them', () => {
    const { root, postgres, initdb } = place();
    expect([runs(postgres), runs(initdb)]).toEqual([true, true]);
    expect(lstatSync(root)).toMatchObject({ uid: process.getuid?.() });
    expect(lstatSync(root).mode & 0o022).toBe(0);
    expect(place().root).toBe(root);
  });

  test('are placed again where somebody has cleaned some of them away', () => {
    const { root, postgres } = place();
    if (root !== closed.root) rmSync(postgres);
    expect(runs(place().postgres)).toBe(true);
    expect(existsSync(postgres)).toBe(true);
  });

  test('are not taken from a folder that another user has put there', () => {
    const { root } = place();
    const isPlaced = root !== closed.root;
    if (isPlaced) {
      rmSync(root, { recursive: true });
      mkdirSync(join(root, 'bin'), { recursive: true });
      writeFileSync(join(root, 'bin', 'postgres'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
      chownSync(root, user?.uid ?? 0, user?.gid ?? 0);
    }
    const next = place();
    expect(next.root === root).toBe(!isPlaced);
    expect(runs(next.postgres)).toBe(true);
  });
});
