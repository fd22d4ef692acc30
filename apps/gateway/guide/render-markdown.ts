import MarkdownIt, { type Token } from 'markdown-it';

/**
 * How the address of the gateway's own pages is written in the guides, so that the links work in the repository too.
 */
const LOCAL_PAGES = 'http://localhost:3000/docs/';
/** What readers know the languages of the samples as. */
const LANGUAGES: Readonly<Record<string, string>> = {
  console: 'Shell',
  sh: 'Shell',
  ts: 'TypeScript',
  json: 'JSON',
  http: 'HTTP',
};

export interface Heading {
  readonly id: string;
  /** HTML. */
  readonly title: string;
}

export interface RenderedMarkdown {
  /** Of its first heading, as text. */
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly html: string;
}

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const { escapeHtml } = markdown.utils;

markdown.renderer.rules.fence = (tokens, index) => {
  const { info = '', content = '' } = tokens[index] ?? {};
  const label = LANGUAGES[info];
  const caption = label === undefined ? '' : `<figcaption>${label}</figcaption>`;
  const isSession = info === 'console';
  const code = isSession ? session(content) : escapeHtml(content);
  // Keyboards scroll what has the focus.
  return `<figure>${caption}<pre${isSession ? ' class="session"' : ''} tabindex="0"><code>${code}</code></pre></figure>\n`;
};
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';
markdown.renderer.rules.heading_open = (tokens, index) => {
  const { tag = 'h2' } = tokens[index] ?? {};
  return tag === 'h1' ? '<h1>' : `<${tag} id="${slugOf(textOf(tokens[index + 1]))}">`;
};
markdown.renderer.rules.heading_close = (tokens, index) => {
  const { tag = 'h2' } = tokens[index] ?? {};
  const title = textOf(tokens[index - 1]);
  const anchor = ` <a class="anchor" href="#${slugOf(title)}" aria-label="Link to: ${escapeHtml(title)}">#</a>`;
  return `${tag === 'h1' ? '' : anchor}</${tag}>\n`;
};

/**
 * A page of the guide as HTML.
 *
 * @param linkOf where a link of the Markdown leads when it is served
 */
export function renderMarkdown(source: string, linkOf: (target: string) => string): RenderedMarkdown {
  const tokens = markdown.parse(source, {});
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_open') token.attrSet('href', linkOf(targetOf(token)));
  }
  const headings = tokens.flatMap((token, index) =>
    token.type === 'heading_open' && token.tag === 'h2' ? [headingOf(tokens[index + 1])] : [],
  );
  const title = textOf(tokens[tokens.findIndex(({ tag }) => tag === 'h1') + 1]);
  return { title, headings, html: markdown.renderer.render(tokens, markdown.options, {}) };
}

/** Every link of a Markdown file, with its words and the heading above it. */
export function linksOf(
  source: string,
): { readonly section: string; readonly target: string; readonly words: string }[] {
  let section = '';
  return markdown.parse(source, {}).flatMap((token, index, tokens) => {
    if (token.type === 'heading_open') section = textOf(tokens[index + 1]);
    const parts = token.children ?? [];
    return parts.flatMap((part, at) =>
      part.type === 'link_open' ? [{ section, target: targetOf(part), words: parts[at + 1]?.content ?? '' }] : [],
    );
  });
}

/**
 * Where a link of one page to another leads: relative, because a reverse proxy may serve the pages below a path of its
 * own.
 *
 * @param pages from the page that has the link to the folder of the pages: empty, or `docs/` from the first page
 */
export function servedLink(target: string, pages: '' | 'docs/'): string {
  if (target.startsWith('#')) return target;
  if (target.startsWith(LOCAL_PAGES)) return `${pages}${target.slice(LOCAL_PAGES.length)}`;
  if (/^[a-z]+:/.test(target)) return target;
  const [file = '', anchor] = target.split('#');
  const page = file === 'README.md' ? (pages === '' ? '../docs' : 'docs') : `${pages}${file.replace(/\.md$/, '')}`;
  return anchor === undefined ? page : `${page}#${anchor}`;
}

/** Lines that a reader types have a prompt, which a selection leaves out, or go on with the line before. */
function session(content: string): string {
  let typed = '';
  return content
    .split('\n')
    .map((line) => {
      const starts = line.startsWith('$ ');
      if (!starts && typed === '') return escapeHtml(line);
      const words = starts ? line.slice(2) : line;
      typed += words;
      // As a shell does: after a backslash or a pipe, and inside of quotation marks.
      if (!/[\\|]$/.test(typed) && typed.split("'").length % 2 === 1) typed = '';
      return `${starts ? '<i>$ </i>' : ''}<b>${escapeHtml(words)}</b>`;
    })
    .join('\n');
}

function headingOf(token: Token | undefined): Heading {
  const text = textOf(token);
  return { id: slugOf(text), title: escapeHtml(text) };
}

function targetOf(link: Token): string {
  return String(link.attrGet('href') ?? '');
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content }) => content).join('');
}

/** The anchor of a heading, as code hosts make it too. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
