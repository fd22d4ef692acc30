import { html } from './documentation-page.js';

/**
 * A part of a page that the gateway serves as HTML and the repository keeps as Markdown. Backticks in prose mark code.
 */
export type Block =
  | { readonly heading: string }
  | { readonly prose: string }
  | { readonly list: readonly string[] }
  /** Written as it is, line by line. */
  | { readonly lines: readonly string[] }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

export function guideHtml(blocks: readonly Block[]): string {
  return blocks.map(blockHtml).join('\n');
}

export function guideMarkdown(title: string, blocks: readonly Block[]): string {
  return `# ${title}\n\n${blocks.map(blockMarkdown).join('\n\n')}\n`;
}

function blockHtml(block: Block): string {
  if ('heading' in block) return `<h2>${html(block.heading)}</h2>`;
  if ('prose' in block) return `<p>${html(block.prose)}</p>`;
  if ('list' in block) return `<ul>${block.list.map((item) => `<li>${html(item)}</li>`).join('')}</ul>`;
  if ('lines' in block) return `<pre>${escaped(block.lines.join('\n'))}</pre>`;
  const cells = (row: readonly string[], tag: string) => row.map((cell) => `<${tag}>${html(cell)}</${tag}>`).join('');
  const rows = block.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`);
  return `<table><thead><tr>${cells(block.columns, 'th')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

function blockMarkdown(block: Block): string {
  if ('heading' in block) return `## ${block.heading}`;
  if ('prose' in block) return wrapped(block.prose, '');
  if ('list' in block) return block.list.map((item) => `- ${wrapped(item, '  ')}`).join('\n');
  if ('lines' in block) return ['```', ...block.lines, '```'].join('\n');
  // The separator of cells is escaped inside of them.
  const [columns = [], ...rows] = [block.columns, ...block.rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', '\\|')),
  );
  const widths = columns.map((_, column) =>
    Math.max(...[columns, ...rows].map((row) => [...(row[column] ?? '')].length)),
  );
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => padded(cell, widths[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

/** Lines of documents end at 120 columns. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > 118) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}

function padded(cell: string, width = 0): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
