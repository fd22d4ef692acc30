import { formatMicros, type Micros } from '#billing';
import { closingTime, isSandbox, type MonthlyStatement, ownerOf } from '#persistence';
import { pageStyle } from './page-style.js';

type Cell = string | number | Micros | null;

/** A statement as one HTML file to print or to keep as a PDF. It loads nothing and has no script. */
export function statementPage(statement: MonthlyStatement): string {
  const { accountId, name, currency, month, from, to, madeAt, isFinal, totals } = statement;
  const days = `${dayOf(from)} to ${dayOf(new Date(to.getTime() - 1))}`;
  const account = `account ${ownerOf(accountId)}${isSandbox(accountId) ? ', test mode' : ''}`;
  const title = `Statement ${month}, ${account}`;
  const summary: readonly (readonly [string, Micros])[] = [
    [`Opening balance on ${dayOf(from)}`, statement.opening],
    ['Deposits', totals.deposits],
    ['Corrections', totals.adjustments],
    ['Messages', -totals.charges],
    ['Refunds', totals.refunds],
    [isFinal ? `Closing balance on ${dayOf(to)}` : `Balance at ${timeOf(closingTime(statement))}`, statement.closing],
  ];
  const notes = [
    `Days and the month begin at midnight in UTC. Amounts are in ${currency}.`,
    ...(isFinal ? [] : ['This statement is provisional: entries may still be added to the month.']),
    ...(statement.notItemised === 0n
      ? []
      : [`Messages include ${amountOf(statement.notItemised)} that is not itemised.`]),
  ];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${pageStyle}</style></head><body>`,
    `<h1>Statement of account</h1><p><strong>${escaped(name)}</strong>, ${escaped(account)}<br>${days}<br>Made ${timeOf(madeAt)}</p>`,
    table(
      'Summary',
      ['', `>${currency}`],
      summary.map(([label, amount]) => [label, amount]),
    ),
    section(
      'Deposits',
      ['Time', 'Reference', '>Paid', '', `>${currency}`],
      statement.deposits.map(({ at, reference, amount, currency: paidIn, booked }) => [
        timeOf(at),
        reference,
        amount,
        paidIn,
        booked,
      ]),
    ),
    section(
      'Corrections',
      ['Time', 'Reason', `>${currency}`],
      statement.adjustments.map(({ at, reason, amount }) => [timeOf(at), reason, amount]),
    ),
    section(
      'Messages',
      ['Day', 'Destination', '>Messages', '>Segments', '>Price of a segment', `>${currency}`],
      statement.charges.map(({ day, destination, country, messages, segments, unitPrice, amount }) => [
        day,
        country === null ? `+${destination}` : `+${destination} ${country}`,
        messages,
        segments,
        unitPrice,
        amount,
      ]),
    ),
    section(
      'Refunds for messages that were not sent',
      ['Day', '>Messages', `>${currency}`],
      statement.refunds.map(({ day, messages, amount }) => [day, messages, amount]),
    ),
    ...notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    '</body></html>\n',
  ].join('\n');
}

function section(title: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return rows.length === 0 ? '' : table(title, heads, rows);
}

/** `>` before a head aligns its column right. */
function table(title: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cell = (tag: 'th' | 'td', text: string, head: string | undefined) =>
    `<${tag}${tag === 'th' ? ' scope="col"' : ''}${head?.startsWith('>') ? ' class="number"' : ''}>${escaped(text)}</${tag}>`;
  const head = heads.map((one) => cell('th', one.replace(/^>/, ''), one)).join('');
  const lines = rows.map((row) => `<tr>${row.map((value, n) => cell('td', textOf(value), heads[n])).join('')}</tr>`);
  return `<table><caption>${escaped(title)}</caption><thead><tr>${head}</tr></thead><tbody>\n${lines.join('\n')}\n</tbody></table>`;
}

function textOf(value: Cell): string {
  return typeof value === 'bigint' ? amountOf(value) : String(value ?? '');
}

/** With at least two decimals, as money is written. */
function amountOf(amount: Micros): string {
  const [whole = '', decimals = ''] = formatMicros(amount).split('.');
  return `${whole}.${decimals.padEnd(2, '0')}`;
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function timeOf(at: Date): string {
  return `${at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
