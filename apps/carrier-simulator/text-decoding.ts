import { decodeGsm } from './gsm-alphabet.js';
import { ESM_CLASS_UDHI } from './pdu-fields.js';
import type { Submit } from './read-submit.js';

export type DefaultAlphabet = 'gsm0338' | 'latin1';

/** The position of a segment in its message, and which of the three forms gave it. */
export interface Concatenation {
  readonly reference: number;
  readonly total: number;
  readonly part: number;
  readonly by: 'udh8' | 'udh16' | 'sar';
}

const IEI_CONCATENATION_8 = 0x00;
const IEI_CONCATENATION_16 = 0x08;

/** The octets of the user data header, with its length octet; 0 without one. */
function headerOctetsOf({ esmClass, userData }: Submit): number {
  if ((esmClass & ESM_CLASS_UDHI) === 0 || userData.length === 0) return 0;
  return Math.min(userData.length, 1 + (userData[0] ?? 0));
}

/** Reads the concatenation header (3GPP TS 23.040, 9.2.3.24.1 and .8) or the sar_* parameters. */
export function concatenationOf(submit: Submit): Concatenation | undefined {
  const end = headerOctetsOf(submit);
  const data = submit.userData;
  for (let offset = 1; offset + 1 < end; offset += 2 + (data[offset + 1] ?? 0)) {
    const identifier = data[offset];
    const length = data[offset + 1] ?? 0;
    if (offset + 2 + length > end) break;
    if (identifier === IEI_CONCATENATION_8 && length === 3) return read(data, offset + 2, 1, 'udh8');
    if (identifier === IEI_CONCATENATION_16 && length === 4) return read(data, offset + 2, 2, 'udh16');
  }
  return submit.sar === undefined ? undefined : { ...submit.sar, by: 'sar' };
}

function read(data: Buffer, offset: number, referenceOctets: number, by: 'udh8' | 'udh16'): Concatenation {
  return {
    reference: data.readUIntBE(offset, referenceOctets),
    total: data.readUInt8(offset + referenceOctets),
    part: data.readUInt8(offset + referenceOctets + 1),
    by,
  };
}

/**
 * The text of a segment without its header, by data_coding (SMPP 3.4, 5.2.19).
 *
 * @param charactersMax no more than so many are wanted; there may be more
 * @returns undefined for binary codings, which have no text
 */
export function textOf(submit: Submit, defaultAlphabet: DefaultAlphabet, charactersMax?: number): string | undefined {
  const octets = submit.userData.subarray(headerOctetsOf(submit));
  switch (submit.dataCoding) {
    case 0:
      return defaultAlphabet === 'latin1' ? octets.toString('latin1') : decodeGsm(octets, charactersMax);
    case 1:
    case 3:
      return octets.toString('latin1');
    case 8:
      return decodeUtf16BigEndian(octets);
    default:
      return undefined;
  }
}

function decodeUtf16BigEndian(octets: Buffer): string {
  const even = Buffer.from(octets.subarray(0, octets.length - (octets.length % 2)));
  return even.swap16().toString('utf16le');
}
