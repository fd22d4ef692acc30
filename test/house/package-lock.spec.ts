import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };

/** Looks a package up as Node does: in the folder of who wants it, then in each one above. */
function isLocked(wantedBy: string, name: string): boolean {
  for (let base = wantedBy; ; base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`] !== undefined) return true;
    if (base === '') return false;
  }
}

describe('a fresh clone installs exactly what was tested', () => {
  test('npm ci accepts the lock on every platform: optional builds for others are locked as well', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter((name) => !isLocked(path, name)),
    );
    expect(missing).toEqual([]);
  });

  test('an installation is reported to nobody, whether npm asks before it runs scripts of packages or not', () => {
    const house = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly allowScripts: Readonly<Record<string, boolean>>;
      readonly scarfSettings: { readonly enabled: boolean };
    };
    expect(lock.packages['node_modules/@scarf/scarf']).toBeDefined();
    expect(house.allowScripts['@scarf/scarf']).toBe(false);
    expect(house.scarfSettings.enabled).toBe(false);
  });

  test('the lock binds nobody to one registry', () => {
    expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});
