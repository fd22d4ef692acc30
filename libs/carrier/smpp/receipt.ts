import { numberFromCarrier } from '#billing';
import type { CarrierReceipt } from '../carrier.js';
import type { DeliverSm } from './deliver-sm.js';
import { type MessageIdFormat, receiptMessageId, storedMessageId } from './message-id.js';
import type { CompleteSettings } from './settings.js';

/** Bits 5 to 2 of esm_class are the type of a deliver_sm (SMPP 3.4 section 5.2.12). */
const MESSAGE_TYPE = 0x3c;
const TYPE_DEFAULT = 0x00;
const TYPE_RECEIPT = 0x04;
const TYPE_ACKNOWLEDGEMENT = 0x08;
const TYPE_INTERMEDIATE = 0x20;
/** For a data_sm, whose addresses may be longer than any number. */
const DESTINATION_DIGITS_MAX = 20;
const CODE_CHARACTERS_MAX = 40;

/**
 * message_state (SMPP 3.4 section 5.2.28) from 1 on in the words of appendix B. 9 comes from SMPP 5.0, and so does 0,
 * which some carriers write beside a final state in the text.
 */
const STATE_NAMES = ['ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD', 'SKIPPED'];

/** Words of final receipts; carriers abbreviate them in many ways. All other words are not final. */
const DELIVERED_WORD = /^DELIV(RD|ERD|ERED)?$/;
const UNDELIVERED_WORD = /^(UNDEL|EXPIR|DELET|REJ|FAIL|SKIP)/;
/** The final words of appendix B as they stand there: nobody but a carrier writes one beside an id. */
const FINAL_WORD = /^(DELIVRD|UNDELIV|EXPIRED|DELETED|REJECTD)$/;
/** Words of receipts that are not final. */
const WAITING_WORD = /^(SCHEDULED|ENROUTE|ACCEPT|BUFFER|UNKNOWN)/;

/** Where a key begins: "userid:" is no id. */
const START = '(?:^|[^a-z0-9_])';
const KNOWN_KEY = '(?:id|sub|dlvrd|submit date|done date|stat|err|text):';
/** Carriers have keys of their own as well. */
const ANY_KEY = '(?:submit |done )?[a-z_]{2,20}:';
/**
 * An id may have any characters, colons and commas included. So it ends at a blank, at a NUL, at the end of the text,
 * or at one comma, semicolon or bar before any of these or a key.
 */
const ID = pattern(`id:\\s*(?!${KNOWN_KEY})([^\\s\\0]+?)(?=[\\s\\0]|$|[,;|](?:[\\s\\0]|$|${ANY_KEY}))`);
const STAT = pattern(word('stat'));
const ERR = pattern(word('err'));
/** A person hardly writes one of them beside an id and a state. */
const COUNTS = pattern('(?:sub|dlvrd|submit date|done date):');
const FIRST_KEY = pattern(KNOWN_KEY);

type ReceiptText = ReturnType<typeof readReceiptText>;
/** The settings that say how a receipt is read. */
type ReceiptSettings = Pick<CompleteSettings, 'messageIdFormat' | 'callingCode'>;

/**
 * The receipt in a deliver_sm; `undefined` if it is a message from a handset. The optional parameters win over the text
 * of appendix B, which every carrier writes in its own way. `UNKNOWN` is not final.
 */
export function parseReceipt(deliver: DeliverSm, settings: ReceiptSettings): CarrierReceipt | undefined {
  const type = deliver.esmClass & MESSAGE_TYPE;
  // Beside the bit of a receipt some carriers set others, which make a type that SMPP has reserved.
  const isMarked = (type & TYPE_RECEIPT) !== 0 || type === TYPE_INTERMEDIATE;
  const text = readReceiptText(receiptText(deliver), isMarked);
  if (!isMarked && !isReceiptByContent(deliver, type, text)) return undefined;
  const word = (stateName(deliver) ?? text.stat ?? 'UNKNOWN').toUpperCase();
  return {
    carrierMessageId: chooseId(deliver.receiptedMessageId, text.id ?? '', settings.messageIdFormat),
    userMessageReference: deliver.userMessageReference,
    // Its TON may be that of the submit.
    destination: numberIn(numberFromCarrier(deliver.sourceAddress, settings.callingCode)),
    state: type === TYPE_INTERMEDIATE ? 'pending' : stateOf(word),
    code: codeOf(word, text.err, deliver.networkErrorCode),
    // A handset can write neither optional parameters nor a message without a number.
    isUnmarked: !isMarked && deliver.receiptedMessageId === '' && deliver.sourceAddress !== '',
  };
}

/**
 * Whether a delivery without the mark of esm_class is a receipt all the same. Its optional parameters say so; both of
 * them even against another mark. Its text says so as well, also in an acknowledgement by the handset (0x08), which is
 * how some carriers mark receipts; Kannel reads them so. A person can write "id:" and "stat:" as well, but hardly a
 * final word of appendix B, or counts and dates beside another state.
 */
function isReceiptByContent(deliver: DeliverSm, type: number, text: ReceiptText): boolean {
  const hasId = deliver.receiptedMessageId !== '';
  if (hasId && (type === TYPE_DEFAULT || stateName(deliver) !== undefined)) return true;
  if (type !== TYPE_DEFAULT && type !== TYPE_ACKNOWLEDGEMENT) return false;
  if (text.id === undefined || text.stat === undefined) return false;
  const word = text.stat.toUpperCase();
  return FINAL_WORD.test(word) || (text.hasCounts && (stateOf(word) !== 'pending' || WAITING_WORD.test(word)));
}

function stateName({ messageState = 0 }: DeliverSm): string | undefined {
  return STATE_NAMES[messageState - 1];
}

/** Some carriers write an international number with 00: a reference counts only with the number as we have it. */
function numberIn(address: string): string {
  const digits = address.replace(/[^0-9]/g, '').replace(/^00+/, '');
  return digits.length > DESTINATION_DIGITS_MAX ? '' : digits;
}

function stateOf(word: string): CarrierReceipt['state'] {
  if (DELIVERED_WORD.test(word)) return 'delivered';
  return UNDELIVERED_WORD.test(word) ? 'undelivered' : 'pending';
}

function codeOf(word: string, err: string | undefined, networkErrorCode: number | undefined): string {
  const detail = err ?? (networkErrorCode === undefined ? '' : String(networkErrorCode));
  const saysSomething = detail !== '' && !/^(0+|null|none)$/i.test(detail);
  const code = saysSomething ? `${word}/${detail}` : word;
  return code.replace(/[^\x21-\x7e]/g, '').slice(0, CODE_CHARACTERS_MAX) || 'UNKNOWN';
}

/**
 * The id in the form of the text. Some carriers write the id of the response into the TLV and the other number base
 * into the text. If both name the same message, the id of the TLV needs no conversion.
 */
function chooseId(tlv: string, text: string, format: MessageIdFormat): string | undefined {
  const fromText = receiptMessageId(text, format);
  const asSubmitted = storedMessageId(tlv);
  const chosen = asSubmitted === '' || asSubmitted === fromText ? fromText : receiptMessageId(tlv, format);
  return chosen === '' ? undefined : chosen;
}

/** Receipts are ASCII, whatever data_coding says. In UTF-16, of either byte order, zero octets stand between. */
function receiptText({ message }: DeliverSm): string {
  const text = message.toString('latin1');
  return /(id|stat):/i.test(text) ? text : text.replaceAll('\0', '');
}

/**
 * The fields of a receipt in the form of appendix B.
 *
 * @param isMarked whether esm_class says that it is a receipt
 */
export function readReceiptText(text: string, isMarked: boolean) {
  // A person wrote what follows "text:", and may have written "stat:DELIVRD" too.
  const [head = ''] = text.split(/\btext:/i, 1);
  // Some carriers begin with "text:". What the person wrote then stands before the carrier's keys.
  const isTextFirst = isMarked && head.length < text.length && !FIRST_KEY.test(head);
  const field = (key: RegExp) =>
    isTextFirst ? [...text.matchAll(new RegExp(key, 'gi'))].at(-1)?.[1] : key.exec(head)?.[1];
  return { id: field(ID), stat: field(STAT), err: field(ERR), hasCounts: COUNTS.test(isTextFirst ? text : head) };
}

/** The value is one word, which may stand in quotes. "stat:err:000" has none. */
function word(key: string): string {
  return `${key}:\\s*"?([^\\s\\0":,;|]+)(?![^\\s\\0",;|])`;
}

function pattern(source: string): RegExp {
  return new RegExp(START + source, 'i');
}
