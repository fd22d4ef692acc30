import { expect } from '@jest/globals';
import { planSegments } from '#billing';
import { decodeGsm } from '../../apps/carrier-simulator/gsm-alphabet.js';
import type { SubmitRecord } from '../../apps/carrier-simulator/records.js';
import type { TestService } from '../support/service.js';

/** What the claim of a message decided, in the words of the SMPP adapter. */
interface ClaimedFormat {
  readonly concatenation: 'udh8' | 'udh16' | 'sar' | 'payload';
  readonly dataCoding: number;
  readonly defaultAlphabet: 'gsm0338' | 'latin1';
  readonly sender: string;
  readonly sourceTon: number | null;
  readonly sourceNpi: number | null;
}

/** A message as it was billed and as it was claimed. */
export interface ClaimedMessage {
  readonly destination: string;
  readonly message: string;
  readonly extended: boolean;
  readonly segments: number;
  readonly whole: boolean;
  readonly format: ClaimedFormat;
}

/** Of the messages of the service's account. */
export async function readClaims(service: TestService): Promise<ClaimedMessage[]> {
  const rows = await service.database.query<Omit<ClaimedMessage, 'format'> & { format: string }>(
    `select o.destination, o.message, o.extended, o.segments, w.whole, w.format
       from message_order o join wire_format w using (wire_format_id) where o.account_id = $1`,
    [service.accountId],
  );
  return rows.map((row) => ({ ...row, format: JSON.parse(row.format) as ClaimedFormat }));
}

/**
 * Byte by byte: the carrier got of each message what was billed, once, all in the form, the alphabet and the coding of
 * its claim.
 */
export function expectAsClaimed(claims: readonly ClaimedMessage[], submits: readonly SubmitRecord[]): void {
  const byNumber = new Map<string, SubmitRecord[]>();
  for (const submit of submits) {
    if (!submit.isTaken) continue;
    const number = submit.destination.value;
    byNumber.set(number, [...(byNumber.get(number) ?? []), submit]);
  }
  const expected = claims.map((claim) => ({ to: claim.destination, ...asClaimed(claim) }));
  const got = claims.map((claim) => ({
    to: claim.destination,
    ...asTaken(claim, byNumber.get(claim.destination) ?? []),
  }));
  expect(got).toEqual(expected);
  expect([...byNumber.keys()].sort()).toEqual(claims.map(({ destination }) => destination).sort());
}

function asClaimed({ message, extended, segments, whole, format }: ClaimedMessage) {
  const { concatenation, dataCoding, sender } = format;
  const isCut = !whole && segments > 1;
  // 153 characters of standard text leave no room for the header with 16 bits.
  const form = concatenation === 'udh16' && !extended ? 'udh8' : concatenation;
  return {
    texts: whole ? [message] : planSegments(message).segments,
    parts: isCut ? Array.from({ length: segments }, (_, index) => `${index + 1}/${segments} by ${form}`) : ['alone'],
    references: isCut ? 1 : 0,
    isPayload: whole && segments > 1,
    codings: [extended ? 8 : dataCoding],
    senders: [sender],
  };
}

function asTaken({ extended, format }: ClaimedMessage, submits: readonly SubmitRecord[]) {
  const inOrder = [...submits].sort((one, other) => (one.concatenation?.part ?? 0) - (other.concatenation?.part ?? 0));
  return {
    texts: inOrder.map((submit) => textIn(submit, extended ? 'extended' : format.defaultAlphabet)),
    parts: inOrder.map(({ concatenation: of }) => (of === undefined ? 'alone' : `${of.part}/${of.total} by ${of.by}`)),
    references: new Set(inOrder.flatMap(({ concatenation }) => concatenation?.reference ?? [])).size,
    isPayload: inOrder.some(({ isPayload }) => isPayload),
    codings: [...new Set(inOrder.map(({ dataCoding }) => dataCoding))],
    senders: [...new Set(inOrder.map(({ source }) => source.value))],
  };
}

/** From the octets themselves, by the alphabet that was claimed. */
function textIn({ octets, esmClass }: SubmitRecord, alphabet: 'gsm0338' | 'latin1' | 'extended'): string {
  const data = Buffer.from(octets, 'hex');
  const text = data.subarray((esmClass & 0x40) === 0 ? 0 : 1 + (data[0] ?? 0));
  if (alphabet === 'extended') return Buffer.from(text).swap16().toString('utf16le');
  return alphabet === 'latin1' ? text.toString('latin1') : decodeGsm(text);
}
