const MESSAGE_LENGTH_MAX = 1_000;
const FRAMES_MAX = 30;
const CAUSES_MAX = 5;

/**
 * Fields of a database error that hold our own names, never a value (PostgreSQL manual, "Error and Notice Message
 * Fields").
 */
const NAMES = ['code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine', 'errno', 'syscall'] as const;

/**
 * Codes of a network or of a server that is away, restarts or refuses: Node's own, and PostgreSQL's classes 08, 28, 53
 * and 57. Where the code stood then says nothing, and such errors come again every second until the other side is back.
 */
const OUTSIDE = /^(E(CONN[A-Z]+|PIPE|TIMEDOUT|(HOST|NET)UNREACH|NOTFOUND|AI_[A-Z]+)|(08|28|53)[0-9A-Z]{3}|57P0[1-3])$/;

/**
 * What a log says about an error: its type, message, stack and code, and those of its causes. What comes from outside
 * of the process has no stack. All other fields are left out, because `detail`, `where`, `query` and `parameters` of a
 * database error hold texts and numbers ("Failing row contains ...").
 */
export function errorLine(error: unknown): unknown {
  return isError(error) ? lineOf(error, CAUSES_MAX) : String(error).slice(0, MESSAGE_LENGTH_MAX);
}

function lineOf(error: Error, causes: number): Record<string, unknown> {
  const fields = error as unknown as Record<string, unknown>;
  const { cause, errors } = error as { cause?: unknown; errors?: unknown };
  const message = messageWithoutValues(error);
  const isDeepest = causes <= 1;
  return {
    type: error.constructor?.name ?? error.name,
    message,
    ...(!OUTSIDE.test(String(fields.code)) && { stack: stackOf(error, message) }),
    ...Object.fromEntries(NAMES.filter((name) => isPlain(fields[name])).map((name) => [name, fields[name]])),
    ...(isError(cause) && !isDeepest && { cause: lineOf(cause, causes - 1) }),
    ...(Array.isArray(errors) &&
      !isDeepest && {
        errors: errors
          .filter(isError)
          .map((one) => lineOf(one, 1))
          .slice(0, CAUSES_MAX),
      }),
  };
}

/**
 * A data exception (SQLSTATE class 22) quotes the value that was refused; the messages of other classes quote names
 * only.
 */
export function messageWithoutValues(error: Error): string {
  const { code } = error as { code?: unknown };
  const { code: inner } = ((error as { driverError?: unknown }).driverError ?? {}) as { code?: unknown };
  const isData = [code, inner].some((state) => typeof state === 'string' && /^22[0-9A-Z]{3}$/.test(state));
  const message = isData ? error.message.replaceAll(/"[\s\S]*"/g, '"..."') : error.message;
  return message.slice(0, MESSAGE_LENGTH_MAX);
}

/** The frames without the message before them, which may be long or contain a value. */
function stackOf(error: Error, message: string): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${message}`, ...frames.slice(0, FRAMES_MAX)].join('\n');
}

function isPlain(value: unknown): boolean {
  return (typeof value === 'string' && value.length <= 100) || typeof value === 'number';
}

function isError(error: unknown): error is Error {
  return typeof (error as { message?: unknown } | null | undefined)?.message === 'string';
}
