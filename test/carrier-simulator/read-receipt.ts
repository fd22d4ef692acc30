import type { Pdu } from './raw-client.js';

/** A deliver_sm taken apart. */
export interface ReadReceipt {
  readonly source: string;
  readonly destination: string;
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly text: string;
  /** Value of each optional parameter, by tag. */
  readonly tlvs: ReadonlyMap<number, Buffer>;
}

export function readReceipt({ body }: Pdu): ReadReceipt {
  let offset = 0;
  const octet = () => body.readUInt8(offset++);
  const text = () => {
    const end = body.indexOf(0, offset);
    const value = body.toString('latin1', offset, end);
    offset = end + 1;
    return value;
  };
  text();
  offset += 2;
  const source = text();
  offset += 2;
  const destination = text();
  const esmClass = octet();
  offset += 2;
  text();
  text();
  offset += 2;
  const dataCoding = octet();
  offset += 1;
  const length = octet();
  const message = body.toString('latin1', offset, offset + length);
  offset += length;
  const tlvs = new Map<number, Buffer>();
  while (offset < body.length) {
    const end = offset + 4 + body.readUInt16BE(offset + 2);
    tlvs.set(body.readUInt16BE(offset), body.subarray(offset + 4, end));
    offset = end;
  }
  if (offset !== body.length) throw new Error('deliver_sm does not end where its parameters end');
  return { source, destination, esmClass, dataCoding, text: message, tlvs };
}

/** The word after a key of the receipt's text. */
export function wordOf(receipt: ReadReceipt, key: string): string | undefined {
  return new RegExp(`${key}:(\\S*)`).exec(receipt.text)?.[1];
}
