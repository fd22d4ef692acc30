/** Whether a text that came from outside can be compared with a uuid of the database. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}
