import type { Mapping } from './check-rows.js';
import { columnNames, guessColumns } from './columns.js';
import type { ParsedFile, Row } from './parse-rows.js';
import { readTemplate } from './template.js';

/** How somebody says that the file is to be read. */
export interface Layout {
  readonly hasHeader: boolean;
  readonly recipient: number | undefined;
  /** The text, with `{column}` in it. */
  readonly template: string;
  readonly countryCode: string;
}

/** The layout that a file seems to have. */
export function guessLayout({ rows, width }: ParsedFile): Layout {
  const { hasHeader, recipient, text } = guessColumns(rows, width);
  const names = columnNames(hasHeader ? rows[0] : undefined, width);
  return { hasHeader, recipient, template: text === undefined ? '' : `{${names[text] ?? ''}}`, countryCode: '' };
}

/** The rows that are messages, the names of the columns, and how a row becomes a message. */
export interface Plan {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
  /** Undefined while something is missing. */
  readonly mapping: Mapping | undefined;
  /** Names in the template that no column has. */
  readonly unknown: readonly string[];
}

export function planFrom({ rows, width }: ParsedFile, layout: Layout): Plan {
  const { hasHeader, recipient, template, countryCode } = layout;
  const columns = columnNames(hasHeader ? rows[0] : undefined, width);
  const text = readTemplate(template, columns);
  const isWhole = recipient !== undefined && template.trim() !== '' && text.unknown.length === 0;
  return {
    rows: hasHeader ? rows.slice(1) : rows,
    columns,
    mapping: isWhole ? { recipient, text, countryCode: countryCode.replace(/\D/g, '') } : undefined,
    unknown: text.unknown,
  };
}
