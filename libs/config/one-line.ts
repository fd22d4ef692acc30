/** What an error says, in one line. */
export function oneLine(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(oneLine).join('; ');
  return (error instanceof Error ? error.message || error.name : String(error)).replaceAll(/\s+/g, ' ');
}
