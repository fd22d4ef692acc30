import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CarrierReceipt, MessageIdFormat } from '#carrier';
import { decodeDelivery } from '../../libs/carrier/smpp/deliver-sm.js';
import { COMMAND } from '../../libs/carrier/smpp/pdu.js';
import { parseReceipt } from '../../libs/carrier/smpp/receipt.js';
import { fuzz } from '../support/fuzz.js';
import { type DeliverFields, deliverBody, tlv } from '../support/scripted-smsc.js';

const UCS2 = Buffer.from('id:11 stat:DELIVRD err:000', 'utf16le').swap16();
const OF_11 = { carrierMessageId: '11', state: 'delivered' } as const;
const APPENDIX_B =
  'id:0123456789 sub:001 dlvrd:001 submit date:2401011200 done date:2401011201 stat:DELIVRD err:000 text:Hello';
const RECEIPTED_ID = (id: string) => tlv(0x001e, Buffer.from(`${id}\0`, 'latin1'));
const MESSAGE_STATE = (state: number) => tlv(0x0427, Buffer.from([state]));
const USER_REFERENCE = (reference: number) => tlv(0x0204, Buffer.from([reference >> 8, reference & 0xff]));
const PAYLOAD = (text: string) => tlv(0x0424, Buffer.from(text, 'latin1'));

function readBody(body: Buffer, format: MessageIdFormat): CarrierReceipt | undefined {
  const deliver = decodeDelivery({ command: COMMAND.deliverSm, body });
  return deliver && parseReceipt(deliver, { messageIdFormat: format });
}

function read(fields: DeliverFields, format: MessageIdFormat = 'as-is'): CarrierReceipt | undefined {
  return readBody(deliverBody(fields), format);
}

describe('receipts are understood in whatever form a carrier writes them', () => {
  const forms: Array<[string, DeliverFields, Partial<CarrierReceipt>]> = [
    [
      'the form of appendix B',
      { message: APPENDIX_B },
      { carrierMessageId: '123456789', state: 'delivered', code: 'DELIVRD' },
    ],
    [
      'dates of twelve digits',
      { message: 'id:7 submit date:240101120000 done date:240101120059 stat:EXPIRED err:000 text:' },
      { carrierMessageId: '7', state: 'undelivered', code: 'EXPIRED' },
    ],
    [
      'lower-case keys and state',
      { message: 'ID:ABC Stat:delivrd ERR:0 TEXT:x' },
      { carrierMessageId: 'abc', state: 'delivered', code: 'DELIVRD' },
    ],
    [
      'without sub, dlvrd, dates and text',
      { message: 'id:9 stat:UNDELIV err:034' },
      { carrierMessageId: '9', state: 'undelivered', code: 'UNDELIV/034' },
    ],
    [
      'the keys in another order',
      { message: 'stat:REJECTD err:901 id:10' },
      { carrierMessageId: '10', state: 'undelivered', code: 'REJECTD/901' },
    ],
    ['err null', { message: 'id:9 stat:DELIVRD err:null' }, { code: 'DELIVRD' }],
    ['no err', { message: 'id:9 stat:DELETED' }, { state: 'undelivered', code: 'DELETED' }],
    ['a state in full letters', { message: 'id:9 stat:DELIVERED' }, { state: 'delivered' }],
    ['a state of eight letters', { message: 'id:9 stat:DELIVERD' }, { state: 'delivered', code: 'DELIVERD' }],
    [
      'values in quotes',
      { message: 'id:"00123" sub:"001" stat:"DELIVRD" err:"011" text:"Hi"' },
      { carrierMessageId: '123', state: 'delivered', code: 'DELIVRD/011' },
    ],
    [
      'a message_state of 0 beside a state in the text',
      { message: 'id:9 stat:DELIVRD', tlvs: [MESSAGE_STATE(0)] },
      { state: 'delivered', code: 'DELIVRD' },
    ],
    ['a message_state of 0 alone', { tlvs: [RECEIPTED_ID('9'), MESSAGE_STATE(0)] }, { state: 'pending' }],
    [
      'the text of the message first',
      { message: 'text:Hello stat:UNDELIV id:6 id:5 sub:001 stat:DELIVRD err:000' },
      { carrierMessageId: '5', state: 'delivered', code: 'DELIVRD' },
    ],
    [
      'a text first that ends like a key',
      { message: 'text:my id: id:5 stat:DELIVRD' },
      { carrierMessageId: '5', state: 'delivered' },
    ],
    ['a failed state in full letters', { message: 'id:9 stat:UNDELIVERABLE' }, { state: 'undelivered' }],
    ['ENROUTE settles nothing', { message: 'id:9 stat:ENROUTE' }, { state: 'pending', code: 'ENROUTE' }],
    ['ACCEPTD settles nothing', { message: 'id:9 stat:ACCEPTD' }, { state: 'pending' }],
    ['UNKNOWN settles nothing', { message: 'id:9 stat:UNKNOWN' }, { state: 'pending' }],
    ['a state that nobody knows settles nothing', { message: 'id:9 stat:WEIRD' }, { state: 'pending', code: 'WEIRD' }],
    [
      'an empty id is no id',
      { message: 'id: sub:001 stat:DELIVRD err:000' },
      { carrierMessageId: undefined, state: 'delivered' },
    ],
    [
      'a space after the colon',
      { message: 'id: 77 stat: DELIVRD err: 000' },
      { carrierMessageId: '77', state: 'delivered' },
    ],
    [
      'commas between the keys',
      { message: 'id:77,sub:001,stat:DELIVRD,err:000' },
      { carrierMessageId: '77', state: 'delivered' },
    ],
    [
      'a UUID for an id',
      { message: 'id:6F1C2D3E-0000-4000-8000-00000000ABCD stat:DELIVRD' },
      { carrierMessageId: '6f1c2d3e-0000-4000-8000-00000000abcd' },
    ],
    ['an id at the end', { message: 'stat:DELIVRD id:host:77' }, { carrierMessageId: 'host:77' }],
    ['an id before a NUL', { message: 'stat:DELIVRD id:host:77\0' }, { carrierMessageId: 'host:77' }],
    [
      'a key where the id is left out',
      { message: 'id:stat:DELIVRD err:000' },
      { carrierMessageId: undefined, state: 'delivered' },
    ],
    ['a NUL after the state', { message: 'id:9 stat:DELIVRD\0' }, { state: 'delivered', code: 'DELIVRD' }],
    [
      'a NUL after the error',
      { message: 'id:9 stat:UNDELIV err:011\0' },
      { state: 'undelivered', code: 'UNDELIV/011' },
    ],
    ['an id of zeros', { message: 'id:0000 stat:DELIVRD' }, { carrierMessageId: '0' }],
    [
      'a text that pretends',
      { message: 'id:5 stat:UNDELIV err:001 text:stat:DELIVRD id:6' },
      { carrierMessageId: '5', state: 'undelivered' },
    ],
    [
      'a state only in what a person wrote',
      { message: 'id:5 text:stat:DELIVRD' },
      { carrierMessageId: '5', state: 'pending', code: 'UNKNOWN' },
    ],
    [
      'binary junk as text',
      {
        message: Buffer.concat([Buffer.from('id:5 stat:DELIVRD err:000 text:'), Buffer.from([5, 0, 3, 0xff, 0, 0x80])]),
      },
      { carrierMessageId: '5', state: 'delivered' },
    ],
    [
      'only optional parameters',
      { tlvs: [RECEIPTED_ID('00AB12'), MESSAGE_STATE(2)] },
      { carrierMessageId: 'ab12', state: 'delivered', code: 'DELIVRD' },
    ],
    [
      'an id TLV without its zero octet',
      { tlvs: [tlv(0x001e, Buffer.from('55')), MESSAGE_STATE(5)] },
      { carrierMessageId: '55', state: 'undelivered', code: 'UNDELIV' },
    ],
    [
      'optional parameters against the text',
      { message: 'id:1 stat:DELIVRD', tlvs: [RECEIPTED_ID('2'), MESSAGE_STATE(8)] },
      { carrierMessageId: '2', state: 'undelivered', code: 'REJECTD' },
    ],
    [
      'an empty id TLV beside a text',
      { message: 'id:1 stat:DELIVRD', tlvs: [RECEIPTED_ID('')] },
      { carrierMessageId: '1' },
    ],
    [
      'a network error code',
      { message: 'id:1 stat:UNDELIV', tlvs: [tlv(0x0423, Buffer.from([3, 0, 27]))] },
      { code: 'UNDELIV/27' },
    ],
    [
      'our reference',
      { message: 'id:1 stat:DELIVRD', tlvs: [USER_REFERENCE(65_535)] },
      { userMessageReference: 65_535 },
    ],
    [
      'our reference without any id',
      { tlvs: [USER_REFERENCE(258), MESSAGE_STATE(2)] },
      { carrierMessageId: undefined, userMessageReference: 258 },
    ],
    [
      'the text in message_payload',
      { tlvs: [PAYLOAD(APPENDIX_B)] },
      { carrierMessageId: '123456789', state: 'delivered' },
    ],
    [
      'ASCII marked as UCS-2',
      { message: 'id:10 stat:DELIVRD', dataCoding: 8 },
      { carrierMessageId: '10', state: 'delivered' },
    ],
    ['real UCS-2', { message: UCS2, dataCoding: 8 }, OF_11],
    ['UCS-2 with an octet too many', { message: Buffer.concat([UCS2, Buffer.of(0)]), dataCoding: 0x18 }, OF_11],
    ['UTF-16 in the other byte order', { message: Buffer.from(UCS2).swap16(), dataCoding: 8 }, OF_11],
    [
      'without its mark in esm_class',
      { message: APPENDIX_B, esmClass: 0 },
      { carrierMessageId: '123456789', state: 'delivered' },
    ],
    [
      'without its mark, with one of the counts or dates',
      { message: 'id:7 done date:2401011201 stat:ACCEPTD', esmClass: 0 },
      { carrierMessageId: '7', state: 'pending' },
    ],
    [
      'without its mark, with a final state and nothing else',
      { message: 'id:7 stat:UNDELIV', esmClass: 0 },
      { carrierMessageId: '7', state: 'undelivered' },
    ],
    [
      'without its mark, by its id alone',
      { message: 'stat:UNDELIV', tlvs: [RECEIPTED_ID('3')], esmClass: 0 },
      { carrierMessageId: '3', state: 'undelivered' },
    ],
    ...[0x08, 0x10, 0x24].map((esmClass): [string, DeliverFields, Partial<CarrierReceipt>] => [
      `marked as something else (${esmClass}), by both optional parameters`,
      { message: APPENDIX_B, tlvs: [RECEIPTED_ID('3'), MESSAGE_STATE(5)], esmClass },
      { carrierMessageId: '3', state: 'undelivered' },
    ]),
    [
      'without its mark, by optional parameters',
      { tlvs: [RECEIPTED_ID('3'), MESSAGE_STATE(2)], esmClass: 0 },
      { carrierMessageId: '3', state: 'delivered' },
    ],
    ['with other bits in esm_class', { message: APPENDIX_B, esmClass: 0x04 | 0x40 | 0x03 }, { state: 'delivered' }],
    ['with other bits in its type', { message: APPENDIX_B, esmClass: 0x04 | 0x20 }, { state: 'delivered' }],
    [
      'an intermediate notice',
      { message: 'id:4 stat:UNDELIV err:001', esmClass: 0x20 },
      { carrierMessageId: '4', state: 'pending', code: 'UNDELIV/001' },
    ],
    ['a plus in the number', { message: APPENDIX_B, source: '+46700100200' }, { destination: '46700100200' }],
    ['00 before the number', { message: APPENDIX_B, source: '0046700100200' }, { destination: '46700100200' }],
    [
      'a truncated TLV at the end',
      { message: APPENDIX_B, tlvs: [MESSAGE_STATE(2), Buffer.from([0x00, 0x1e, 0x00, 0xff, 0x31])] },
      { carrierMessageId: '123456789', state: 'delivered' },
    ],
  ];

  test.each(forms)('%s', (_form, fields, expected) => {
    expect(read(fields)).toMatchObject({ destination: '46700100200', ...expected });
  });

  test.each<[string, DeliverFields]>([
    ['a message from a handset', { message: 'Hello there', esmClass: 0 }],
    ['a message from a handset that mentions an id', { message: 'my id:5 please', esmClass: 0 }],
    ['a text with the keys of a receipt', { message: 'Order id: 5 has stat: paid, thanks', esmClass: 0 }],
    ['a text with a state', { message: 'id:5 stat: delivered', esmClass: 0 }],
    ['a text with a state that is not final', { message: 'id:5 stat:UNKNOWN', esmClass: 0 }],
    ['a text with a count and a state that nobody knows', { message: 'id:5 sub:1 stat:paid', esmClass: 0 }],
    ['a text with an empty id TLV', { message: 'Hello', tlvs: [RECEIPTED_ID('')], esmClass: 0 }],
    ['an acknowledgement with an id TLV', { message: 'Yes', tlvs: [RECEIPTED_ID('5')], esmClass: 0x08 }],
    ['a text with the keys behind "text:"', { message: `text:Hi ${APPENDIX_B}`, esmClass: 0 }],
    ['an acknowledgement by the handset', { message: 'Yes', esmClass: 0x08 }],
    ['an acknowledgement by its user', { message: APPENDIX_B, esmClass: 0x10 }],
  ])('%s is no receipt', (_what, fields) => {
    expect(read(fields)).toBeUndefined();
  });

  test.each<[boolean, DeliverFields]>([
    [true, { esmClass: 0 }],
    [true, { esmClass: 0x08 }],
    [false, { esmClass: 4 }],
    [false, { esmClass: 0, tlvs: [RECEIPTED_ID('5')] }],
    [false, { esmClass: 0, source: '' }],
  ])('a person may have written it: %s with %j', (isUnmarked, fields) => {
    expect(read({ message: APPENDIX_B, ...fields })).toMatchObject({ isUnmarked, state: 'delivered' });
  });

  test.each<[MessageIdFormat, string, string]>([
    ['hex-dec', '439041101', '1a2b3c4d'],
    ['hex-dec', '18446744073709551615', 'ffffffffffffffff'],
    ['hex-dec', '0000439041101', '1a2b3c4d'],
    ['hex-dec', 'abc-9', 'abc-9'],
    ['dec-hex', '1A2B3C4D', '439041101'],
    ['dec-hex', '0FFFFFFFFFFFFFFFF', '18446744073709551615'],
    ['dec-hex', 'not-hex', 'not-hex'],
    ['as-is', '0001A2B', '1a2b'],
  ])('under %s the receipt id %s is stored as %s', (format, reported, stored) => {
    expect(read({ message: `id:${reported} stat:DELIVRD` }, format)?.carrierMessageId).toBe(stored);
  });

  test('an id TLV in the form of the submit response is not converted where the text confirms it', () => {
    const fields = { message: 'id:4096 stat:DELIVRD', tlvs: [RECEIPTED_ID('1000')] };
    expect(read(fields, 'hex-dec')?.carrierMessageId).toBe('1000');
    expect(read({ ...fields, message: 'stat:DELIVRD' }, 'hex-dec')?.carrierMessageId).toBe('3e8');
  });

  test('whatever octets come, the parser answers with something storable or with nothing', () => {
    const receiptLike = fc
      .tuple(fc.string({ maxLength: 70 }), fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }))
      .map(([id, stat, err]) => deliverBody({ message: Buffer.from(`id:${id} stat:${stat} err:${err}`, 'latin1') }));
    const cut = fc.tuple(receiptLike, fc.nat()).map(([body, at]) => body.subarray(0, at % (body.length + 1)));
    const octets = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(
        fc.oneof(receiptLike, cut, octets),
        fc.constantFrom('as-is', 'hex-dec', 'dec-hex'),
        (body, format) => {
          const receipt = readBody(body, format as MessageIdFormat);
          if (receipt === undefined) return;
          expect(receipt.code).toMatch(/^[\x21-\x7e]{1,40}$/);
          expect(receipt.destination).toMatch(/^[0-9]*$/);
          expect(receipt.carrierMessageId ?? 'x').toMatch(/^[\x21-\x7e\xa1-\xff]{1,80}$/);
        },
      ),
      fuzz(3_000),
    );
  });
});
