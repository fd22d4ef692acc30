/** A word as a shell takes it: in quotes where it needs them. `*` needs none in a setting like `NAME=word`. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
