/** A text with `{column}` in it. */
export interface Template {
  /** Texts, and indexes of columns. */
  readonly parts: readonly (string | number)[];
  /** Names in braces that no column has. */
  readonly unknown: readonly string[];
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Reads a template; names are compared without regard to case and spaces around them. */
export function readTemplate(text: string, columns: readonly string[]): Template {
  const indexes = new Map(columns.map((name, index) => [keyOf(name), index]));
  const parts: (string | number)[] = [];
  const unknown = new Set<string>();
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, name = ''] = match;
    const index = indexes.get(keyOf(name));
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(index ?? whole);
    if (index === undefined) unknown.add(whole);
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return { parts, unknown: [...unknown] };
}

/** The text of a row, and the indexes of the columns that are empty there. */
export function fillTemplate({ parts }: Template, cells: readonly string[]): { text: string; missing: number[] } {
  let text = '';
  const missing: number[] = [];
  for (const part of parts) {
    const value = typeof part === 'string' ? part : (cells[part] ?? '').trim();
    if (typeof part === 'number' && value === '') missing.push(part);
    text += value;
  }
  return { text, missing };
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}
