import { classifyStatus, type FailureKind, statusName, statusNamed } from './smpp-status.js';

/** A carrier's own meaning of command_status values, by hexadecimal status, if it differs from the standard. */
export type ErrorCodes = Readonly<Record<string, FailureKind>>;

const KINDS: readonly string[] = ['refused', 'throttled', 'temporary'] satisfies FailureKind[];
const STATUS_MAX = 0xffff_ffff;

/**
 * Reads `0x401=throttled,69=temporary,ESME_RX_P_APPN=temporary`.
 *
 * @throws RangeError naming the entry that cannot be read, or a status that is given twice
 */
export function parseErrorCodes(text: string): ErrorCodes {
  const codes: Record<string, FailureKind> = {};
  for (const entry of text.split(',')) {
    const [code = '', kind = '', ...rest] = entry.split('=').map((part) => part.trim());
    const status = statusOf(code);
    if (status === undefined || rest.length > 0 || !KINDS.includes(kind)) {
      throw new RangeError(`"${entry.trim()}" is not CODE=refused, CODE=throttled or CODE=temporary`);
    }
    const name = `0x${status.toString(16)}`;
    if (Object.hasOwn(codes, name)) throw new RangeError(`${code} is given twice`);
    codes[name] = kind as FailureKind;
  }
  return codes;
}

/** The fault of a stored table; undefined if there is none. */
export function errorCodesFault(value: unknown): string | undefined {
  const isTable =
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([code, kind]) => statusOf(code) !== undefined && KINDS.includes(String(kind)));
  return isTable ? undefined : 'must say of each command_status whether it is refused, throttled or temporary';
}

/** The meaning of a failed submit at this carrier. */
export class SubmitStatuses {
  private readonly own: ReadonlyMap<number, FailureKind>;

  constructor(errorCodes: ErrorCodes = {}) {
    this.own = new Map(Object.entries(errorCodes).map(([code, kind]) => [statusOf(code) ?? 0, kind]));
  }

  classify(status: number): { readonly kind: FailureKind; readonly code: string } {
    const kind = this.own.get(status);
    return kind === undefined ? classifyStatus(status) : { kind, code: statusName(status) };
  }
}

/** Success (0) cannot be given another meaning. */
function statusOf(code: string): number | undefined {
  const status = /^(0x[0-9a-f]{1,8}|[0-9]{1,10})$/i.test(code) ? Number(code) : statusNamed(code);
  return status !== undefined && status >= 1 && status <= STATUS_MAX ? status : undefined;
}
