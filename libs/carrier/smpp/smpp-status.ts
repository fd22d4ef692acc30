/** The meaning of a non-zero command_status of a submit. In none of these cases does the carrier have the message. */
export type FailureKind = 'refused' | 'throttled' | 'temporary';

type Row = readonly [status: number, name: string, kind: FailureKind];

/**
 * The error codes of SMPP 3.4 (section 5.1.3, table 5-2) and their meaning for a submit. A passing fault of the carrier
 * or of the bind is `temporary`. A full queue or too high a rate is `throttled`. A fault of the message is `refused`,
 * so that its owner gets the money back at once and not after a day of retries.
 */
const STATUS_TABLE: readonly Row[] = [
  [0x01, 'ESME_RINVMSGLEN', 'refused'],
  [0x02, 'ESME_RINVCMDLEN', 'refused'],
  [0x03, 'ESME_RINVCMDID', 'refused'],
  [0x04, 'ESME_RINVBNDSTS', 'temporary'],
  [0x05, 'ESME_RALYBND', 'temporary'],
  [0x06, 'ESME_RINVPRTFLG', 'refused'],
  [0x07, 'ESME_RINVREGDLVFLG', 'refused'],
  [0x08, 'ESME_RSYSERR', 'temporary'],
  [0x0a, 'ESME_RINVSRCADR', 'refused'],
  [0x0b, 'ESME_RINVDSTADR', 'refused'],
  [0x0c, 'ESME_RINVMSGID', 'refused'],
  [0x0d, 'ESME_RBINDFAIL', 'temporary'],
  [0x0e, 'ESME_RINVPASWD', 'temporary'],
  [0x0f, 'ESME_RINVSYSID', 'temporary'],
  [0x11, 'ESME_RCANCELFAIL', 'refused'],
  [0x13, 'ESME_RREPLACEFAIL', 'refused'],
  [0x14, 'ESME_RMSGQFUL', 'throttled'],
  [0x15, 'ESME_RINVSERTYP', 'refused'],
  [0x33, 'ESME_RINVNUMDESTS', 'refused'],
  [0x34, 'ESME_RINVDLNAME', 'refused'],
  [0x40, 'ESME_RINVDESTFLAG', 'refused'],
  [0x42, 'ESME_RINVSUBREP', 'refused'],
  [0x43, 'ESME_RINVESMCLASS', 'refused'],
  [0x44, 'ESME_RCNTSUBDL', 'refused'],
  [0x45, 'ESME_RSUBMITFAIL', 'refused'],
  [0x48, 'ESME_RINVSRCTON', 'refused'],
  [0x49, 'ESME_RINVSRCNPI', 'refused'],
  [0x50, 'ESME_RINVDSTTON', 'refused'],
  [0x51, 'ESME_RINVDSTNPI', 'refused'],
  [0x53, 'ESME_RINVSYSTYP', 'temporary'],
  [0x54, 'ESME_RINVREPFLAG', 'refused'],
  [0x55, 'ESME_RINVNUMMSGS', 'refused'],
  [0x58, 'ESME_RTHROTTLED', 'throttled'],
  [0x61, 'ESME_RINVSCHED', 'refused'],
  [0x62, 'ESME_RINVEXPIRY', 'refused'],
  [0x63, 'ESME_RINVDFTMSGID', 'refused'],
  [0x64, 'ESME_RX_T_APPN', 'temporary'],
  [0x65, 'ESME_RX_P_APPN', 'refused'],
  [0x66, 'ESME_RX_R_APPN', 'refused'],
  [0x67, 'ESME_RQUERYFAIL', 'refused'],
  [0xc0, 'ESME_RINVOPTPARSTREAM', 'refused'],
  [0xc1, 'ESME_ROPTPARNOTALLWD', 'refused'],
  [0xc2, 'ESME_RINVPARLEN', 'refused'],
  [0xc3, 'ESME_RMISSINGOPTPARAM', 'refused'],
  [0xc4, 'ESME_RINVOPTPARAMVAL', 'refused'],
  [0xfe, 'ESME_RDELIVERYFAILURE', 'refused'],
  [0xff, 'ESME_RUNKNOWNERR', 'refused'],
];

const BY_STATUS = new Map(STATUS_TABLE.map(([status, code, kind]) => [status, { kind, code }] as const));

export const STATUS = {
  ok: 0x00,
  invalidCommandId: 0x03,
  invalidBindStatus: 0x04,
  temporaryApplicationError: 0x64,
  rejectedByApplication: 0x66,
  unknownError: 0xff,
} as const;

/**
 * Bind refusals that only a person can repair: quick retries would be noise, or would lock the account. ESME_RBINDFAIL
 * (0x0d) is not among them: carriers also answer it if they have too many binds or are restarting.
 */
const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([0x0e, 0x0f, 0x53]);

/**
 * The meaning of a failed submit, with a readable code. Codes outside the standard (vendors use 0x400 to 0x4FF) are
 * `refused`.
 */
export function classifyStatus(status: number): { readonly kind: FailureKind; readonly code: string } {
  return BY_STATUS.get(status) ?? { kind: 'refused', code: statusName(status) };
}

/** The name of a command_status, such as `ESME_RINVPASWD`; `SMPP_0x00000401` if the standard has no name for it. */
export function statusName(status: number): string {
  if (status === STATUS.ok) return 'ESME_ROK';
  return BY_STATUS.get(status)?.code ?? `SMPP_0x${status.toString(16).padStart(8, '0')}`;
}

/** The command_status of a name such as `ESME_RTHROTTLED`. */
export function statusNamed(name: string): number | undefined {
  return STATUS_TABLE.find(([, code]) => code === name.toUpperCase())?.[0];
}

export function isCredentialRefusal(status: number): boolean {
  return CREDENTIAL_STATUSES.has(status);
}
