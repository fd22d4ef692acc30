import { formatMicros } from '#billing';

/**
 * JSON of a response. A bigint is an amount of money in micro-units and becomes a JSON number, written from the integer:
 * without exponent, without the noise of a float, however large it is.
 */
export function exactJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return formatMicros(value);
    case 'object':
      if (value === null) return 'null';
      if (value instanceof Date) return `"${value.toISOString()}"`;
      return Array.isArray(value) ? arrayJson(value) : objectJson(value);
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
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    json += `${json.length === 1 ? '' : ','}${JSON.stringify(name)}:${exactJson(value)}`;
  }
  return `${json}}`;
}
