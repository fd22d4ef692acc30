import { describe, expect, test } from '@jest/globals';
import { boundClient, simulator } from './harness.js';
import type { SubmitFields } from './raw-client.js';
import { uint16 } from './raw-client.js';

async function recorded(fields: SubmitFields, defaultAlphabet: 'gsm0338' | 'latin1' = 'gsm0338') {
  const running = await simulator({ defaultAlphabet });
  await (await boundClient(running)).submit(fields);
  return running.records.submits[0];
}

describe('the record of a submit_sm', () => {
  test('shows every octet of the GSM alphabet as its character', async () => {
    const octets = Buffer.from(Array.from({ length: 128 }, (_, octet) => octet).filter((octet) => octet !== 0x1b));
    expect((await recorded({ userData: octets }))?.text).toBe(
      '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
        '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
    );
  });

  test.each([
    ['1b28', '{'],
    ['1b29', '}'],
    ['1b2f', '\\'],
    ['1b3c', '['],
    ['1b3d', '~'],
    ['1b3e', ']'],
    ['1b40', '|'],
    ['1b14', '^'],
    ['1b65', '€'],
    ['1b0a', '\f'],
    ['411b', 'A\ufffd'],
    ['80', '\ufffd'],
  ])('shows the octets %s as %j', async (octets, text) => {
    expect((await recorded({ userData: Buffer.from(octets, 'hex') }))?.text).toBe(text);
  });

  test('reads data_coding 0 as Latin-1 when that is the default alphabet', async () => {
    const userData = Buffer.from('@ $ _ £', 'latin1');
    expect((await recorded({ userData }, 'latin1'))?.text).toBe('@ $ _ £');
  });

  test('reads data_coding 8 as UTF-16BE, emoji and right-to-left scripts included', async () => {
    const text = 'Ça va? 😀 שלום';
    const userData = Buffer.from(text, 'utf16le').swap16();
    expect((await recorded({ dataCoding: 8, userData }))?.text).toBe(text);
  });

  test('reads data_coding 3 as Latin-1 and gives no text for binary', async () => {
    expect((await recorded({ dataCoding: 3, userData: Buffer.from([0xe9]) }))?.text).toBe('é');
    const binary = await recorded({ dataCoding: 4, userData: Buffer.from([0xe9, 1]) });
    expect(binary).toMatchObject({ text: undefined, octets: 'e901' });
  });

  test.each([
    ['8-bit', '050003a70201', { reference: 0xa7, total: 2, part: 1, by: 'udh8' }],
    ['16-bit', '060804a7b10302', { reference: 0xa7b1, total: 3, part: 2, by: 'udh16' }],
    ['second element', '0a2203010203000363ff09', { reference: 0x63, total: 255, part: 9, by: 'udh8' }],
  ])('takes the concatenation from a header of the form %s, and the text from behind it', async (_form, udh, place) => {
    const userData = Buffer.concat([Buffer.from(udh, 'hex'), Buffer.from('rest')]);
    expect(await recorded({ esmClass: 0x40, userData })).toMatchObject({ concatenation: place, text: 'rest' });
  });

  test('takes the concatenation from the sar parameters', async () => {
    const tlvs = [
      [0x020c, uint16(513)],
      [0x020e, Buffer.from([3])],
      [0x020f, Buffer.from([2])],
    ] as const;
    const place = { reference: 513, total: 3, part: 2, by: 'sar' };
    expect(await recorded({ tlvs })).toMatchObject({ concatenation: place, text: 'hello' });
  });

  test('takes the text from message_payload where short_message is empty', async () => {
    const text = 'long '.repeat(400);
    const tlvs = [[0x0424, Buffer.from(text)]] as const;
    expect(await recorded({ userData: Buffer.alloc(0), tlvs })).toMatchObject({ text, isPayload: true });
  });

  test.each(['ff', '05', '0500', '050003', '0500ff0102', '030803ab', '00'])(
    'takes a broken user data header %s for what it is: no concatenation',
    async (udh) => {
      expect(await recorded({ esmClass: 0x40, userData: Buffer.from(udh, 'hex') })).toMatchObject({
        concatenation: undefined,
        octets: udh,
      });
    },
  );
});
