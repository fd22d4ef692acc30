import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { Environment } from '../../libs/config/environment.js';

/** Settings of docker-compose.yml itself, which no process of ours reads. */
const COMPOSE_ONLY = settingsOfComposeAlone();

interface Documented {
  readonly name: string;
  readonly value: string;
  /** A setting that is unset by default stands in a comment. */
  readonly unset: boolean;
  readonly words: string;
}

function documentedSettings(): Documented[] {
  const blocks = readFileSync('.env.example', 'utf8').split(/\n\s*\n/);
  let words = '';
  return blocks.flatMap((block) => {
    words = '';
    return block.split('\n').flatMap((line) => {
      const setting = /^(# )?([A-Z][A-Z_]+)=(\S*)$/.exec(line);
      if (setting === null) {
        words += line.replace(/^# ?/, ' ');
        return [];
      }
      return [
        { unset: setting[1] !== undefined, name: setting[2] ?? '', value: setting[3] ?? '', words: words.trim() },
      ];
    });
  });
}

const documented = documentedSettings();
/** Under the heading of Compose, where the defaults are those of docker-compose.yml. */
function settingsOfComposeAlone(): string[] {
  const [, section = ''] = readFileSync('.env.example', 'utf8').split('# --- docker compose only');
  return [...section.matchAll(/^# ([A-Z_]+)=$/gm)].map((match) => match[1] ?? '');
}

const ours = documented.filter(({ name }) => !COMPOSE_ONLY.includes(name));
const validated = getMetadataStorage()
  .getTargetValidationMetadatas(Environment, '', true, false)
  .map(({ propertyName }) => propertyName);
const defaults = { ...new Environment() } as Record<string, unknown>;

/** The numbers, and what each may be. */
function bounds(): { readonly name: string; readonly min: number; readonly max: number }[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', true, false);
  const boundOf = (name: string, rule: string): number =>
    rules.find((each) => each.propertyName === name && each.name === rule)?.constraints[0];
  return [...new Set(rules.filter(({ name }) => name === 'max').map(({ propertyName }) => propertyName))].map(
    (name) => ({ name, min: boundOf(name, 'min'), max: boundOf(name, 'max') }),
  );
}

describe('.env.example documents every setting', () => {
  test('each setting stands there once, and nothing else does', () => {
    expect(ours.map(({ name }) => name).sort()).toEqual([...new Set(validated)].sort());
  });

  test.each(ours.filter(({ unset }) => !unset))('$name has the default $value', ({ name, value }) => {
    expect(String(defaults[name])).toBe(value);
  });

  test.each(ours.filter(({ unset }) => unset))('$name is unset by default', ({ name }) => {
    expect(defaults[name]).toBeUndefined();
  });

  test.each(bounds().filter(({ name }) => !name.endsWith('PORT')))(
    '$name says that it may be $min to $max',
    ({ name, min, max }) => {
      const words = ours.find((setting) => setting.name === name)?.words;
      expect(words).toContain(`${min} to ${max}`);
    },
  );

  test('every setting has words', () => {
    const bare = ours.filter(({ words, name }) => words.length < 20 && !/_?HOST$/.test(name));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});

test('every variable of docker-compose.yml stands in .env.example, and every one of its own is used', () => {
  const used = [...readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{([A-Z_]+)[:}]/g)].map(
    (match) => match[1] ?? '',
  );
  const names = documented.map(({ name }) => name);
  expect([...new Set(used)].filter((name) => !names.includes(name))).toEqual([]);
  expect(COMPOSE_ONLY.filter((name) => !used.includes(name))).toEqual([]);
});
