/** A page of prose and tables beside the interactive one. It loads nothing from other servers. */
export function documentationPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heliograph: ${title.toLowerCase()}</title>
<style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:1rem 0}
td,th{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #8884;vertical-align:top}
td:nth-child(3){white-space:nowrap}
tr:target{background:#fc36}
code{font-size:.9em;white-space:pre-wrap}
pre{overflow:auto;padding:.8rem;background:#8881}
</style></head><body>
<p><a href="../docs">API</a> · <a href="text">Text, segments and price</a> · <a href="keys">Keys and limits</a> · <a href="errors">Error codes</a></p>
<h1>${title}</h1>
${body}
</body></html>`;
}

/** Text as HTML: backticks mark code. */
export function html(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
