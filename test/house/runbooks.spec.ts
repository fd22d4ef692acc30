import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runbookOf } from '../../libs/operations/doctor/runbooks.js';

const FOLDER = 'docs/runbooks';
const DOCTOR = 'libs/operations/doctor';
const INDEX = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const pages = new Map(
  readdirSync(FOLDER)
    .filter((file) => file !== 'README.md')
    .map((file) => [file.replace(/\.md$/, ''), readFileSync(join(FOLDER, file), 'utf8')]),
);

/** Each page that a file of these folders names as `docs/runbooks/PAGE.md`, with that file. */
function pagesNamedIn(...folders: readonly string[]): [page: string, by: string][] {
  return folders
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.(tsx?|ya?ml|tpl|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/docs\/runbooks\/([a-z-]+)\.md/g)].map(
        ([, page = '']): [string, string] => [page, path],
      ),
    );
}

/** The checks of `smsctl doctor`, as its sources name them. */
function doctorChecks(): string[] {
  const sources = readdirSync(DOCTOR).map((file) => readFileSync(join(DOCTOR, file), 'utf8'));
  const names = sources.flatMap((text) =>
    [...text.matchAll(/\bcheck(?:: | = )['`]([^'`]+)['`]/g)].map(([, name = '']) => name),
  );
  const roles = ['gateway', 'worker'];
  const checks = names.flatMap((name) =>
    name.includes(`\${role}`)
      ? roles.map((role) => name.replace(`\${role}`, role))
      : [name.replace(/\$\{.*?\}/, 'NAME')],
  );
  return [...new Set(checks)];
}

/** The alerts, and the page that each names, if it names one. */
function alerts(): { readonly alert: string; readonly page: string | undefined }[] {
  const rules = readFileSync('deploy/prometheus/alerts.yml', 'utf8')
    .split(/^ +- alert: /m)
    .slice(1);
  return rules.map((rule) => ({
    alert: rule.split('\n', 1)[0] ?? '',
    page: /runbook_url: .*docs\/runbooks\/([a-z-]+)\.md/.exec(rule)?.[1],
  }));
}

describe('the runbooks', () => {
  test('a page exists for every name in an alert, a finding or the consoles', () => {
    expect(pagesNamedIn('apps', 'libs', 'deploy').filter(([page]) => !pages.has(page))).toEqual([]);
  });

  test('the index leads to every page', () => {
    expect([...pages.keys()].filter((page) => !INDEX.includes(`](${page}.md)`))).toEqual([]);
  });

  test.each([...pages])('%s says when, what it means, how to see that it is over, and what never to do', (_, page) => {
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings.slice(0, 2)).toEqual(['When', 'What it means']);
    expect(headings.slice(-2)).toEqual(['It is over when', 'Never']);
  });

  test.each(doctorChecks())('the finding `%s` of smsctl doctor names a page, which names the finding', (check) => {
    const page = runbookOf({ check, state: 'fail', detail: '' }) ?? '';
    expect(pages.get(page)).toContain(`\`${check}\``);
    expect(runbookOf({ check, state: 'ok', detail: '' })).toBeNull();
  });

  test.each(alerts())('the page of the alert $alert names the alert', ({ alert, page }) => {
    const naming = [...pages].filter(([, text]) => text.includes(`\`${alert}\``)).map(([name]) => name);
    expect(naming).toEqual([page ?? expect.any(String)]);
  });
});
