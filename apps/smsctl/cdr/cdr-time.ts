import { isCalendarDay } from '#billing';

/** How a carrier writes times. */
export interface CdrTimeFormat {
  /** `iso`, `unix`, `unix-ms`, or a pattern of YYYY, MM, DD, HH, mm, ss and what stands between them. */
  readonly pattern: string;
  /** Minutes east of UTC, of times that do not name their zone. */
  readonly zoneMinutes: number;
}

const PARTS = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'] as const;
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?$/;
const YEAR_MAX = 9_999;
const compiled = new Map<string, { readonly shape: RegExp; readonly order: readonly string[] }>();

/** A moment of a carrier's file; undefined: it is none. */
export function parseCdrTime(text: string, { pattern, zoneMinutes }: CdrTimeFormat): Date | undefined {
  if (pattern === 'unix' || pattern === 'unix-ms') {
    if (!/^\d{1,16}(\.\d{1,9})?$/.test(text)) return undefined;
    return valid(new Date(Number(text) * (pattern === 'unix' ? 1_000 : 1)));
  }
  if (pattern === 'iso') {
    const [, , , zone] = ISO.exec(text) ?? [];
    if (!ISO.test(text) || !isCalendarDay(text.slice(0, 'YYYY-MM-DD'.length))) return undefined;
    const written = text.replace(/^(.{10}) /, '$1T').replace(/\s/, '');
    return zone === undefined ? shifted(new Date(`${written}Z`), zoneMinutes) : valid(new Date(written));
  }
  const { shape, order } = shapeOf(pattern);
  const found = shape.exec(text);
  if (found === null) return undefined;
  const part = (name: string, otherwise: number) =>
    order.includes(name) ? Number(found[order.indexOf(name) + 1]) : otherwise;
  // An hour of 24 or more is another day, which is seen below.
  if (part('mm', 0) > 59 || part('ss', 0) > 59) return undefined;
  const [year, month, day] = [part('YYYY', 0), part('MM', 1), part('DD', 1)];
  const at = new Date(Date.UTC(year, month - 1, day, part('HH', 0), part('mm', 0), part('ss', 0)));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? shifted(at, zoneMinutes) : undefined;
}

/** Whether a pattern names at least a day, each part once. */
export function isTimePattern(pattern: string): boolean {
  if (['iso', 'unix', 'unix-ms'].includes(pattern)) return true;
  const { order } = shapeOf(pattern);
  return ['YYYY', 'MM', 'DD'].every((name) => order.includes(name)) && new Set(order).size === order.length;
}

function shapeOf(pattern: string): { readonly shape: RegExp; readonly order: readonly string[] } {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const order: string[] = [];
  const source = pattern.replaceAll(/YYYY|MM|DD|HH|mm|ss|[^A-Za-z0-9 ]/g, (token) => {
    if (!(PARTS as readonly string[]).includes(token)) return `\\${token}`;
    order.push(token);
    return token === 'YYYY' ? '(\\d{4})' : '(\\d{2})';
  });
  const made = { shape: new RegExp(`^${source}$`), order };
  compiled.set(pattern, made);
  return made;
}

function shifted(at: Date, zoneMinutes: number): Date | undefined {
  return valid(new Date(at.getTime() - zoneMinutes * 60_000));
}

/** Milliseconds that are read as seconds are of a year with five digits. */
function valid(at: Date): Date | undefined {
  return at.getUTCFullYear() <= YEAR_MAX ? at : undefined;
}
