import { formatMicros } from '#billing';

/** Payloads that answer several requests, with their JSON in UTF-8 after it was written once. */
const shared = new WeakMap<object, Buffer | undefined>();

/** Writes the JSON of an immutable payload only once. */
export function shareJson<Payload extends object>(payload: Payload): Payload {
  shared.set(payload, undefined);
  return payload;
}

/** Answers with JSON that is already written in UTF-8, wherever the payload is returned. */
export function withJson<Payload extends object>(payload: Payload, json: Buffer): Payload {
  shared.set(payload, json);
  return payload;
}

/** The body of a response. A body that is sent several times, or was written piece by piece, is encoded once. */
export function responseJson(payload: unknown): string | Buffer {
  if (typeof payload !== 'object' || payload === null || !shared.has(payload)) return exactJson(payload);
  const json = shared.get(payload) ?? Buffer.from(exactJson(payload));
  shared.set(payload, json);
  return json;
}

/**
 * JSON of a response. A bigint is an amount of money in micro-units and becomes a JSON number, written from the
 * integer: without exponent, without the noise of a float, however large it is.
 */
export function exactJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return formatMicros(value);
    case 'object':
      if (value === null) return 'null';
      if (value instanceof Date) return `"${value.toISOString()}"`;
      return Array.isArray(value) ? arrayJson(value) : objectJson(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    default:
      return JSON.stringify(value) ?? 'null';
  }
}

function arrayJson(items: readonly unknown[]): string {
  let json = '[';
  for (let index = 0; index < items.length; index += 1) json += (index === 0 ? '' : ',') + exactJson(items[index]);
  return `${json}]`;
}

function objectJson(object: object): string {
  let json = '{';
  for (const name of Object.keys(object)) {
    const value: unknown = (object as Record<string, unknown>)[name];
    if (value !== undefined) json += `${json.length === 1 ? '' : ','}${quotedName(name)}:${exactJson(value)}`;
  }
  return `${json}}`;
}

/** Responses have few different field names, each in every entry of a list. */
const quotedNames = new Map<string, string>();
const QUOTED_NAMES_MAX = 1_000;

function quotedName(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(name);
  if (quotedNames.size < QUOTED_NAMES_MAX) quotedNames.set(name, quoted);
  return quoted;
}
