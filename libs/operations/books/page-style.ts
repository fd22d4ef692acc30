/** Of a page that is printed. */
export const pageStyle = [
  'body{font:14px/1.5 system-ui,sans-serif;color:#111;background:#fff;max-width:900px;margin:2rem auto;padding:0 1rem}',
  'h1{font-size:1.5rem;margin:0 0 .5rem}',
  'table{border-collapse:collapse;width:100%;margin:1.5rem 0}',
  'caption{text-align:left;font-weight:600;font-size:1.1rem;padding-bottom:.25rem}',
  'th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #ccc;vertical-align:top}',
  'td:first-child{white-space:nowrap}',
  // The name of the account, and references: they may be long, and the amounts stand at the right.
  'strong,td:nth-child(2){overflow-wrap:anywhere}',
  '.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}',
  '.note{color:#444}',
  '@media print{body{margin:0;max-width:none;font-size:11px}thead{display:table-header-group}tr{break-inside:avoid}}',
].join('');
