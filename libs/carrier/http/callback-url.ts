/** What a provider calls about: what became of a message, or a message from a handset. */
export type CallbackSubject = 'status' | 'inbound';

/**
 * The StatusCallback of one message. It has our reference, so that a callback finds its message even if the answer to
 * the request was lost. The operator's fragment (after `#`) is part of it: this API takes retry settings there.
 */
export function statusCallbackUrl(base: string, name: string, reference: number): string {
  const [, fragment] = base.split('#');
  return `${calledUrl(base, name, `ref=${reference}`)}${fragment === undefined ? '' : `#${fragment}`}`;
}

/**
 * The URL that the provider called and signed, although a proxy may have changed it on the way: the operator's base,
 * the path at which the gateway takes the callbacks of a carrier, and the received query.
 */
export function calledUrl(base: string, name: string, query: string, subject: CallbackSubject = 'status'): string {
  const [url = ''] = base.split('#');
  return `${url.replace(/\/+$/, '')}/carriers/${name}/${subject}${query === '' ? '' : `?${query}`}`;
}

/** The base of callback URLs, as an operator writes it; undefined if the text is not one. */
export function readCallbackBase(text: string): string | undefined {
  // The path of a carrier's callbacks is appended to the text. URL also parses texts behind which it would be no path.
  if (!/^https?:\/\/[^\s?#\\]+(#\S*)?$/i.test(text) || !URL.canParse(text) || text.length > 500) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' && url.hostname !== '' ? text : undefined;
}
