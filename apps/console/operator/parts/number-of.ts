/**
 * A whole number of a form; null: the field is empty. What is no number goes to the service as it is, which says what
 * is wrong with it.
 */
export function numberOf(text: string): number | string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}
