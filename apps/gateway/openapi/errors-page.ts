import type { Config } from '#config';
import { ERRORS } from '../http/error-catalogue.js';
import { documentationPage, html } from './documentation-page.js';

/** The page that the `type` of every problem points to: one line for each code. */
export function errorsPage({ ACCESS_LOG }: Pick<Config, 'ACCESS_LOG'>): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title, doc }]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td><td>${html(doc)}</td></tr>`,
  );
  const inLog =
    ACCESS_LOG === 'off'
      ? ''
      : ' <code>requestId</code> finds the request in the log of the gateway: tell it to the operator.';
  return documentationPage(
    'Error codes',
    `<p>Every refusal is an <code>application/problem+json</code> document (RFC 9457) with one of these codes in <code>code</code>.
Codes are stable: switch on them, and show <code>detail</code> to people. One answer names all faults of a request: each entry of
<code>errors</code> has its <code>field</code>, its <code>arrayPosition</code> in a batch, and a code of its own. When these differ, the
request is answered <code>invalid_request</code> if a fault is one of status 400, and with the first of them otherwise.${inLog}</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Title</th><th>Meaning</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`,
  );
}
