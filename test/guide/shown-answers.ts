type Json = null | boolean | number | string | Json[] | { [field: string]: Json };

/** What is another one in each run: ids, times, keys, secrets and cursors. A shown one stands for one of its kind. */
const KINDS: readonly (readonly [kind: string, form: RegExp])[] = [
  ['<uuid>', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ['<time>', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g],
  ['<key>', /hg_(?:test_)?[0-9a-z]{8}_[\w-]{43}/g],
  ['<webhook>', /we_[0-9a-z]{16}/g],
  ['<secret>', /whsec_[0-9A-Za-z+/=]{32,}/g],
];
const OF_FIELDS: Readonly<Record<string, RegExp>> = { keyId: /^[0-9a-z]{8}$/, next: /^[\w-]{8,}$/ };
const MORE = '...';

/**
 * Compares answers with those that a guide shows. `...` stands for what the guide leaves out: fields, entries, lines,
 * or the rest of a text. A later command of the guide that has a shown id gets the id of this run.
 */
export class ShownAnswers {
  private readonly actualOf = new Map<string, string>();

  /** The command with what this run answered where the guide has what it shows. */
  inThisRun(command: string): string {
    const longestFirst = [...this.actualOf].sort(([a], [b]) => b.length - a.length);
    return longestFirst.reduce((text, [shown, actual]) => text.replaceAll(shown, actual), command);
  }

  /** @throws Error that says where the answer differs from what is shown */
  compare(shown: string, actual: string): void {
    if (shown.trim() === '') return;
    if (shown.startsWith('HTTP/')) this.compareHttp(shown, actual);
    else if (/^[[{]/.test(shown)) this.compareJson(shown, actual);
    else this.compareLines(shown.trimEnd().split('\n'), actual.trimEnd().split('\n'));
  }

  private compareHttp(shown: string, actual: string): void {
    const [head = '', body = ''] = shown.split('\n\n');
    const [actualHead = '', actualBody = ''] = actual.replaceAll('\r', '').split('\n\n');
    for (const line of head.trimEnd().split('\n')) {
      const isShown = (candidate: string) => this.isLike(line.toLowerCase(), candidate.toLowerCase());
      if (!actualHead.split('\n').some(isShown)) throw new Error(`no line "${line}" in\n${actualHead}`);
    }
    this.compare(body, actualBody);
  }

  private compareJson(shown: string, actual: string): void {
    const values = (text: string) => text.trimEnd().split(/\n(?=[[{])/);
    const [wanted, got] = [values(shown), values(actual)];
    if (wanted.length !== got.length) throw new Error(`${wanted.length} JSON values are shown, not\n${actual}`);
    for (const [index, value] of wanted.entries()) {
      this.compareValues(parse(withMarks(value)), parse(got[index] ?? ''), 'answer');
    }
  }

  private compareLines(shown: readonly string[], actual: readonly string[]): void {
    const isOpen = shown.at(-1) === MORE;
    const lines = isOpen ? shown.slice(0, -1) : shown;
    const isEnough = isOpen ? actual.length >= lines.length : actual.length === lines.length;
    if (!isEnough || !lines.every((line, index) => this.isLike(line, actual[index] ?? '')))
      throw new Error(`${shown.join('\n')}\nis shown, not\n${actual.join('\n')}`);
  }

  private compareValues(shown: Json, actual: Json, path: string): void {
    if (Array.isArray(shown) && Array.isArray(actual)) this.compareArrays(shown, actual, path);
    else if (isObject(shown) && isObject(actual)) this.compareObjects(shown, actual, path);
    else this.compareScalars(shown, actual, path);
  }

  private compareScalars(shown: Json, actual: Json, path: string): void {
    const field = path.split('.').at(-1) ?? '';
    const isSame =
      typeof shown === 'string' && typeof actual === 'string'
        ? this.isLike(shown, actual, OF_FIELDS[field])
        : shown === actual;
    if (!isSame) throw new Error(`${path} is shown as ${JSON.stringify(shown)}, not ${JSON.stringify(actual)}`);
  }

  private compareArrays(shown: readonly Json[], actual: readonly Json[], path: string): void {
    const isOpen = shown.at(-1) === MORE;
    const entries = isOpen ? shown.slice(0, -1) : shown;
    if (isOpen ? actual.length < entries.length : actual.length !== entries.length)
      throw new Error(`${path} is shown with ${entries.length} entries, not ${JSON.stringify(actual)}`);
    for (const [index, entry] of entries.entries())
      this.compareValues(entry, actual[index] ?? null, `${path}.${index}`);
  }

  private compareObjects(shown: { [field: string]: Json }, actual: { [field: string]: Json }, path: string): void {
    const { [MORE]: isOpen, ...fields } = shown;
    for (const [field, value] of Object.entries(fields)) {
      if (!(field in actual)) throw new Error(`${path}.${field} is shown, and missing in ${JSON.stringify(actual)}`);
      this.compareValues(value, actual[field] ?? null, `${path}.${field}`);
    }
    const hidden = Object.keys(actual).filter((field) => !(field in fields));
    if (isOpen === undefined && hidden.length > 0) throw new Error(`${path} also has ${hidden.join(', ')}`);
  }

  /** Whether two texts are the same but for what is another one in each run; remembers which one is which. */
  private isLike(shown: string, actual: string, form?: RegExp): boolean {
    if (form?.test(shown) && form.test(actual)) {
      this.actualOf.set(shown, actual);
      return true;
    }
    const [wanted, got] = [masked(shown), masked(actual)];
    const [start = '', end] = wanted.split(MORE);
    if (end === undefined ? wanted !== got : !(got.startsWith(start) && got.endsWith(end))) return false;
    for (const [kind, pattern] of KINDS) {
      if (kind === '<time>') continue;
      const found = actual.match(pattern) ?? [];
      for (const [index, value] of (shown.match(pattern) ?? []).entries()) this.actualOf.set(value, found[index] ?? '');
    }
    return true;
  }
}

function masked(text: string): string {
  return KINDS.reduce((rest, [kind, pattern]) => rest.replaceAll(pattern, kind), text);
}

/** `...` before the end of an object or array, as JSON. */
function withMarks(shown: string): string {
  const token = /"(?:[^"\\]|\\.)*"|(,?)\s*\.\.\.\s*(?=([}\]]))/g;
  return shown.replaceAll(token, (text, comma: string | undefined, end: string | undefined) => {
    if (end === undefined) return text;
    return `${comma}${end === '}' ? `"${MORE}":true` : `"${MORE}"`}`;
  });
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`no JSON: ${text}`);
  }
}

function isObject(value: Json): value is { [field: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
