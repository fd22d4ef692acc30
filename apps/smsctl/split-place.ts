import type { Place } from './session.js';

/** `--url` and `--token` in front of the topic say where the command runs; the rest is the command. */
export function splitPlace(args: readonly string[]): { readonly place: Place; readonly rest: readonly string[] } {
  const place: { url?: string; token?: string } = {};
  let at = 0;
  for (; at < args.length; at += 1) {
    const [, name, value] = /^--(url|token)(?:=(.*))?$/.exec(args[at] ?? '') ?? [];
    if (name !== 'url' && name !== 'token') break;
    if (value !== undefined) place[name] = value;
    else {
      at += 1;
      place[name] = args[at] ?? '';
    }
  }
  return { place, rest: args.slice(at) };
}
