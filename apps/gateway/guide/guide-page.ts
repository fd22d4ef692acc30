import type { Heading } from './render-markdown.js';

/** The path of the first page is empty; the others are named by their files. */
export interface PageLink {
  readonly path: string;
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly PageLink[];
}

export interface GuidePage extends PageLink {
  readonly headings: readonly Heading[];
  /** The HTML of its text. */
  readonly html: string;
  /** Of a page that is more than text. */
  readonly head?: string;
  readonly scripts?: string;
}

/** A page of the documentation: its text, and the ways to the other pages. It loads nothing from other servers. */
export function guidePage(page: GuidePage, sections: readonly Section[]): string {
  const folder = page.path === '' ? 'docs/' : '';
  const hrefOf = ({ path }: PageLink) => (path === '' ? (folder === '' ? '../docs' : 'docs') : `${folder}${path}`);
  const contents = contentsOf(page, sections, hrefOf);
  const title = page.path === '' ? 'Heliograph guide' : `${page.title} - Heliograph guide`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${folder}icon.svg">
${page.head ?? ''}<link rel="stylesheet" href="${folder}guide.css">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header><a href="${hrefOf({ path: '', title: '' })}"><img src="${folder}icon.svg" alt="" width="24" height="24">Heliograph</a>
<a class="console" href="${folder === '' ? '../' : './'}">Console</a>
<details><summary>All pages</summary><nav aria-label="All pages">${contents}</nav></details></header>
<nav class="side" aria-label="Guide">${contents}</nav>
<main id="content" tabindex="-1">
${page.html}
${neighbours(page, sections, hrefOf)}
</main>
${page.scripts ?? ''}</body>
</html>
`;
}

function contentsOf(page: GuidePage, sections: readonly Section[], hrefOf: (page: PageLink) => string): string {
  const item = (link: PageLink) => {
    const isHere = link.path === page.path;
    const inside = isHere ? headingsOf(page) : '';
    return `<li><a href="${hrefOf(link)}"${isHere ? ' aria-current="page"' : ''}>${link.title}</a>${inside}</li>`;
  };
  return sections.map(({ title, pages }) => `<p>${title}</p><ul>${pages.map(item).join('')}</ul>`).join('\n');
}

function headingsOf({ headings }: GuidePage): string {
  if (headings.length === 0) return '';
  return `<ul>${headings.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join('')}</ul>`;
}

function neighbours(page: GuidePage, sections: readonly Section[], hrefOf: (page: PageLink) => string): string {
  const all = sections.flatMap(({ pages }) => pages);
  const at = all.findIndex(({ path }) => path === page.path);
  const [before, after] = [all[at - 1], all[at + 1]];
  const link = (of: PageLink | undefined, rel: 'prev' | 'next', words: string) =>
    of === undefined ? '' : `<a rel="${rel}" href="${hrefOf(of)}"><small>${words}</small> ${of.title}</a>`;
  return `<nav class="neighbours" aria-label="Next pages">${link(before, 'prev', 'Before')}${link(after, 'next', 'Next')}</nav>`;
}
