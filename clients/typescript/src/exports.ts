import { ConnectionError } from './errors.js';
import type { CallOptions } from './options.js';
import { parsed, type Query, type Transport } from './transport.js';

/** The parts of a file, as the service writes them. When they end in order, the file is whole. */
export function exportFile(
  transport: Transport,
  path: string,
  query: Query = {},
  options?: CallOptions,
): AsyncIterable<Uint8Array> {
  return transport.bytes({ method: 'GET', path, query }, options);
}

/** The items of an export, one by one. When they end in order, they are all. */
export async function* exportRows<Item>(
  transport: Transport,
  path: string,
  query: Query = {},
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of exportFile(transport, path, { ...query, format: 'ndjson' }, options)) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parsed(line) as Item;
  }
  // A proxy that speaks HTTP/1.0 with the service ends in order what has broken off before it.
  if (rest !== '') throw new ConnectionError('The export broke off');
}
