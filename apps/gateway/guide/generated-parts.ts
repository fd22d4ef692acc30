import type { OpenAPIObject } from '@nestjs/swagger';
import { ERRORS } from '../http/error-catalogue.js';

/** What stands below the text of errors.md: a line for each code, where the `type` of a problem points to. */
export function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, doc }]) => `<tr id="${code}"><td>${status} <code>${code}</code></td><td>${marked(doc)}</td></tr>`,
  );
  return table(['<th>Status and code</th>', '<th>Meaning</th>'], rows);
}

/**
 * Every endpoint, below the text of the first page. Each line has the anchor by which the page of the API knows the
 * endpoint: links to it from the time when that page was the first one still find it.
 */
export function endpointTable({ paths }: OpenAPIObject): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, { operationId, summary, tags }]) => {
      const anchor = `/${tags[0]}/${operationId}`;
      const endpoint = `<code>${method.toUpperCase()} ${path}</code>`;
      return `<tr id="${anchor}"><td><a href="docs/api#${anchor}">${endpoint}</a></td><td>${marked(summary)}</td></tr>`;
    }),
  );
  return table(['<th>Endpoint</th>', '<th>What it does</th>'], rows);
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

function table(columns: readonly string[], rows: readonly string[]): string {
  const head = `<thead><tr>${columns.join('')}</tr></thead>`;
  return `<div class="table" tabindex="0"><table>${head}<tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

/** Text as HTML: backticks mark code. */
function marked(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
