import { ESM_CLASS_UDHI, Status } from './pdu-fields.js';
import type { Submit } from './read-submit.js';

const ADDRESS_OCTETS_MAX = 20;
const ALPHANUMERIC_OCTETS_MAX = 11;
const ALPHANUMERIC = 5;
const USER_DATA_OCTETS = 140;
const USER_DATA_SEPTETS = 160;
const UCS2 = 8;

/**
 * The rules of a strict carrier, so that a client that passes here does not fail on a real one.
 *
 * @returns ESME_ROK, or the command_status of the first rule that is broken
 */
export function statusOf(submit: Submit): number {
  const { source, destination, validityPeriod } = submit;
  const sourceMax = source.ton === ALPHANUMERIC ? ALPHANUMERIC_OCTETS_MAX : ADDRESS_OCTETS_MAX;
  if (source.value.length > sourceMax) return Status.ESME_RINVSRCADR;
  if (!isNumber(destination.value)) return Status.ESME_RINVDSTADR;
  // SMPP 3.4, 7.1.1: absolute and relative times have 16 characters.
  if (validityPeriod.length !== 0 && validityPeriod.length !== 16) return Status.ESME_RINVEXPIRY;
  return submit.isPayload || fitsOneShortMessage(submit) ? Status.ESME_ROK : Status.ESME_RINVMSGLEN;
}

function isNumber(value: string): boolean {
  if (value.length === 0 || value.length > ADDRESS_OCTETS_MAX) return false;
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** One SM-TP user data has 140 octets; under the default alphabet that is 160 septets, header included. */
function fitsOneShortMessage({ userData, esmClass, dataCoding }: Submit): boolean {
  const hasHeader = (esmClass & ESM_CLASS_UDHI) !== 0;
  if (dataCoding === UCS2) return userData.length <= USER_DATA_OCTETS && (hasHeader || userData.length % 2 === 0);
  if (!hasHeader) return userData.length <= USER_DATA_SEPTETS;
  const headerOctets = 1 + (userData[0] ?? 0);
  return Math.ceil((headerOctets * 8) / 7) + (userData.length - headerOctets) <= USER_DATA_SEPTETS;
}
