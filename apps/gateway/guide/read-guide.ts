import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GuidePage, Section } from './guide-page.js';
import { linksOf, renderMarkdown, servedLink } from './render-markdown.js';

/** The build puts docs/guide there. */
const FOLDER = new URL('../../../docs/guide/', import.meta.url);
const FIRST = 'README.md';

export interface Guide {
  readonly pages: readonly GuidePage[];
  readonly sections: readonly Section[];
}

let guide: Guide | undefined;

/** The pages of docs/guide, rendered, in the order in which the first one lists them. They are read once. */
export function readGuide(): Guide {
  guide ??= renderGuide();
  return guide;
}

function renderGuide(): Guide {
  const first = read(FIRST);
  const links = linksOf(first).filter(({ section, target }) => section !== '' && target !== '');
  const titles = [...new Set(links.map(({ section }) => section))];
  const sections = titles.map((title) => ({
    title,
    pages: links
      .filter(({ section }) => section === title)
      .map(({ target, words }) => ({ path: servedLink(target, ''), title: words })),
  }));
  const files = links.map(({ target }) => target).filter((target) => target.endsWith('.md'));
  return { pages: [pageOf(FIRST, first), ...files.map((file) => pageOf(file, read(file)))], sections };
}

function pageOf(file: string, source: string): GuidePage {
  const isFirst = file === FIRST;
  const { title, headings, html } = renderMarkdown(source, (target) => servedLink(target, isFirst ? 'docs/' : ''));
  return { path: isFirst ? '' : file.replace(/\.md$/, ''), title, html, headings: isFirst ? [] : headings };
}

function read(file: string): string {
  return readFileSync(fileURLToPath(new URL(file, FOLDER)), 'utf8');
}
