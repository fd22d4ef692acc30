/** A failure that its message explains: it is shown without a stack trace. */
export class SetupError extends Error {
  expected = true;
}
