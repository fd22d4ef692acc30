import { ERRORS } from '../http/error-catalogue.js';

/** The page that the `type` of every problem points to: one line for each code. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title, doc }]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td><td>${html(doc)}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heliograph: error codes</title>
<style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #8884;vertical-align:top}
td:nth-child(3){white-space:nowrap}
tr:target{background:#fc36}
code{font-size:.9em}
</style></head><body>
<h1>Error codes</h1>
<p>Every refusal is an <code>application/problem+json</code> document (RFC 9457) with one of these codes in <code>code</code>.
Codes are stable: switch on them, and show <code>detail</code> to people. Where fields are at fault, <code>errors</code> names
each. <code>requestId</code> finds the request in the logs. <a href="/docs">Back to the API</a>.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Title</th><th>Meaning</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></body></html>`;
}

/** The catalogue's words as HTML: backticks mark code. */
function html(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
