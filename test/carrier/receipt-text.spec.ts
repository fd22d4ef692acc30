import { expect, test } from '@jest/globals';
import { readReceiptText } from '../../libs/carrier/smpp/receipt.js';

/** The most that a message_payload holds (SMPP 3.4 section 5.3.2.32). */
const PAYLOAD_OCTETS_MAX = 65_535;

test.each(['host:77:88x', '78,99100', 'ab;cd7788', 'a|b:c', 'x@host!#$%&', 'a,sub', '2401:id'])(
  'the id %s is read whole, whatever stands after it',
  (id) => {
    for (const separator of [' ', '\t', '\r\n', ',', ';', '|', ', ']) {
      for (const rest of ['sub:001 stat:DELIVRD', 'submit date:2401011200 stat:DELIVRD', 'nmsc:77 stat:DELIVRD']) {
        expect(readReceiptText(`id:${id}${separator}${rest}`, true)).toMatchObject({ id, stat: 'DELIVRD' });
      }
    }
  },
);

test.each([
  ...['id:', 'id:a,', 'id:,', 'id: ', 'id:stat:', 'id:"', 'stat:', 'stat:"', 'stat:a:', 'err:a'],
  ...[' ', ',', 'a', ':', 'id:a, ', 'id:a,a_', 'text:', 'sub', 'submit ', 'done date'],
])('a text full of %j is read at once', (unit) => {
  const text = unit.repeat(PAYLOAD_OCTETS_MAX / unit.length);
  const startMs = performance.now();
  for (const before of ['', 'id:', 'stat:', 'text:', 'text:id:']) {
    readReceiptText(before + text, true);
    readReceiptText(before + text, false);
  }
  // A pattern that tries again from each character would take minutes.
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
