import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const COLUMNS_MAX = 120;
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'clients/typescript/README.md',
  ...markdownIn('docs'),
].map((path) => ({
  path,
  // Code may hold what looks like a heading or a link.
  prose: readFileSync(path, 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, (code) => code.replaceAll(/[^\n]/g, '')),
}));

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(path: string): Set<string> {
  const { prose = '' } = pages.find((page) => page.path === path) ?? {};
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, words = '']) => words.toLowerCase());
  return new Set(headings.map((words) => words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')));
}

function brokenLinks({ path, prose }: (typeof pages)[number]): string[] {
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^(https?:|\/)/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file));
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).has(anchor));
  });
}

describe('the documents', () => {
  test.each(pages)('$path has no broken link', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test.each(pages)('$path has no line of prose that is longer than a screen is wide', ({ prose }) => {
    const isTable = (line: string) => /^ *\|/.test(line);
    expect(prose.split('\n').filter((line) => line.length > COLUMNS_MAX && !isTable(line))).toEqual([]);
  });
});
