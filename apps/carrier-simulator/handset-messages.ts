import { encodeGsm } from './gsm-alphabet.js';
import { type Address, ESM_CLASS_UDHI } from './pdu-fields.js';
import type { Delivery } from './pdu-writing.js';

/** A message that a handset writes. */
export interface HandsetMessage {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The system_id whose binds get it; undefined: any. */
  readonly systemId: string | undefined;
}

const DATA_CODING_DEFAULT = 0;
const DATA_CODING_UCS2 = 8;
const OCTETS_MAX = 140;
/** With a header of 6 octets: 153 characters of 7 bits, or 67 of 16. */
const GSM_MAX = { whole: 160, part: 153 };
const UCS2_MAX = { whole: OCTETS_MAX, part: 134 };

/** The deliver_sm of a message: more than one, with user data headers, if it is long. */
export function deliveriesOf({ from, to, text }: HandsetMessage, reference: number): Delivery[] {
  const gsm = encodeGsm(text);
  const octets = gsm ?? Buffer.from(text, 'utf16le').swap16();
  const max = gsm === undefined ? UCS2_MAX : GSM_MAX;
  const dataCoding = gsm === undefined ? DATA_CODING_UCS2 : DATA_CODING_DEFAULT;
  const common = { source: addressOf(from), destination: addressOf(to), dataCoding, ...NO_PARAMETERS };
  if (octets.length <= max.whole) return [{ ...common, esmClass: 0, shortMessage: octets.toString('latin1') }];
  const total = Math.ceil(octets.length / max.part);
  return Array.from({ length: total }, (_, index) => {
    const header = Buffer.from([5, 0, 3, reference & 0xff, total, index + 1]);
    const part = octets.subarray(index * max.part, (index + 1) * max.part);
    return {
      ...common,
      esmClass: ESM_CLASS_UDHI,
      shortMessage: Buffer.concat([header, part]).toString('latin1'),
    };
  });
}

const NO_PARAMETERS = { receiptedMessageId: undefined, messageState: undefined, userMessageReference: undefined };

/** An international number, one in national form (with one 0 in front), a short code, or a name (SMPP 3.4, 5.2.5). */
function addressOf(text: string): Address {
  const value = text.replace(/^\+/, '');
  if (!/^\d+$/.test(value)) return { ton: 5, npi: 0, value };
  if (value.length < 7) return { ton: 3, npi: 0, value };
  return { ton: /^0[1-9]/.test(text) ? 2 : 1, npi: 1, value };
}
