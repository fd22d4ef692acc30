/**
 * What is shown until an answer comes: the answer before, if it was of the same path, such as another page of a list.
 * The figures of another month, or the name of another account, are never shown under the new one.
 */
export function pageBefore(path: string) {
  return <Answer>(before: Answer | undefined, query?: { readonly queryKey: readonly unknown[] }) =>
    query?.queryKey[0] === path ? before : undefined;
}
