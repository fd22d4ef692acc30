/** A number of things in words: `1 account`, `2 accounts`. */
export function counted(count: number | bigint, thing: string, things = `${thing}s`): string {
  return `${count} ${Number(count) === 1 ? thing : things}`;
}

const NAMED_MAX = 10;

/** `a, b and c`; of many only the first. */
export function listed(names: readonly string[], joint = 'and'): string {
  const shown = names.slice(0, NAMED_MAX);
  if (names.length > shown.length) return `${shown.join(', ')} ${joint} ${names.length - shown.length} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} ${joint} ${last}`;
}
