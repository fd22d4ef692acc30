/** What a failed statement means for the one who sent it. */
type FailureKind =
  /** The server refused this very statement (bad value, broken constraint): again would fail again. */
  | 'poison'
  /** Nothing took effect, and the same statement may well succeed now (deadlock, serialisation, lock timeout). */
  | 'retryable'
  /** The connection or the server went away: whether it took effect is unknown, or nothing could be tried. */
  | 'unavailable';

/** SQLSTATE classes (PostgreSQL manual, appendix A) that say "try the same again". */
const RETRYABLE = new Set(['40001', '40P01', '55P03', '57014']);
const POISON_CLASSES = new Set(['21', '22', '23', '42', '54', 'P0']);

/** Sorts an exception of the database driver. */
export function failureKind(error: unknown): FailureKind {
  const code = sqlState(error);
  if (code === undefined) return 'unavailable';
  if (RETRYABLE.has(code)) return 'retryable';
  return POISON_CLASSES.has(code.slice(0, 2)) ? 'poison' : 'unavailable';
}

/** Whether the statement waited longer for a lock than it may. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

export function isPoison(error: unknown): boolean {
  return failureKind(error) === 'poison';
}

/** Whether the server itself sent the error. */
export function hasSqlState(error: unknown): boolean {
  return sqlState(error) !== undefined;
}

/** Whether the role of the connection has no right to what the statement needs. */
export function isForbidden(error: unknown): boolean {
  return sqlState(error) === '42501';
}

/** Whether the role of the connection, or a standby server, only lets it read. */
export function isReadOnly(error: unknown): boolean {
  return isForbidden(error) || sqlState(error) === '25006';
}

/** Whether a statement would have written a second row where the index wants one. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return sqlState(error) === '23505' && (error as { constraint?: string }).constraint === index;
}

/** The five characters that the server sends with an error. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
