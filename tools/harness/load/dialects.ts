/**
 * HTTP send APIs of other gateways that the generator can speak, with the parameter of the query that holds the text,
 * and the status of a message that is accepted. Kannel 1.4.5: sendsms, User's Guide, "SMS Push". Jasmin: HTTP API,
 * "send". Both take `to` and answer in one line of text.
 */
const RULES = {
  kannel: { text: 'text', acceptedStatus: 202 },
  jasmin: { text: 'content', acceptedStatus: 200 },
} as const;
export type Dialect = keyof typeof RULES;
const DIALECTS = Object.keys(RULES) as Dialect[];

/** Where another gateway takes messages. */
export interface ForeignTarget {
  readonly dialect: Dialect;
  readonly port: number;
  /** With the query that every message shares: user, password, whether receipts are wanted. */
  readonly path: string;
}

/**
 * Reads `DIALECT+http://127.0.0.1:PORT/PATH?QUERY`. Only this machine is taken: two gateways are compared on the same
 * cores or not at all.
 *
 * @throws Error saying what is wrong with it
 */
export function readForeignTarget(value: string): ForeignTarget {
  const [, name = '', address = ''] = /^([a-z]+)\+(http:\/\/.*)$/.exec(value) ?? [];
  const dialect = DIALECTS.find((known) => known === name);
  if (dialect === undefined) throw new Error(`It must be DIALECT+http://..., the dialect of ${DIALECTS.join(', ')}.`);
  if (!URL.canParse(address)) throw new Error(`${address} is no URL.`);
  const url = new URL(address);
  if (url.hostname !== '127.0.0.1' && url.hostname !== 'localhost') throw new Error('It must run on 127.0.0.1.');
  return { dialect, port: Number(url.port || '80'), path: `${url.pathname}${url.search}` };
}

export function acceptedStatusOf(dialect: Dialect): number {
  return RULES[dialect].acceptedStatus;
}

/** The path and query that send one message. A recipient goes without its plus, which both understand. */
export function sendPath(
  { dialect, path }: Pick<ForeignTarget, 'dialect' | 'path'>,
  { recipient, message }: { readonly recipient: string; readonly message: string },
): string {
  const own = `to=${recipient.replace(/^\+/, '')}&${RULES[dialect].text}=${encodeURIComponent(message)}`;
  if (!path.includes('?')) return `${path}?${own}`;
  return `${path}${/[?&]$/.test(path) ? '' : '&'}${own}`;
}
