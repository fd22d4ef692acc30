import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { FIRST_PLACE, type Place } from './table/pager.js';

/**
 * The filters of a list, in the address of the page: it can be sent to somebody else, and "back" undoes a change. A
 * change of a filter begins at the first page again.
 */
export function useAddress<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says all that the parameters say.
  const values = useMemo(
    () => Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>,
    [text],
  );
  const place: Place = useMemo(() => {
    const cursor = new URLSearchParams(text).get('cursor');
    return cursor === null ? FIRST_PLACE : { cursor, before: Number(new URLSearchParams(text).get('before') ?? 0) };
  }, [text]);
  const change = useCallback(
    (changes: Partial<Record<Name, string>>) =>
      setSearch((before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries<string | undefined>(changes)) {
          if (value === undefined || value === '') after.delete(name);
          else after.set(name, value);
        }
        after.delete('cursor');
        after.delete('before');
        return after;
      }),
    [setSearch],
  );
  const moveTo = useCallback(
    ({ cursor, before }: Place) =>
      setSearch((search) => {
        const after = new URLSearchParams(search);
        after.delete('cursor');
        after.delete('before');
        if (cursor !== undefined) {
          after.set('cursor', cursor);
          after.set('before', String(before));
        }
        return after;
      }),
    [setSearch],
  );
  return { values, change, place, moveTo };
}
