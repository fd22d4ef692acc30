import { describe, expect, test } from '@jest/globals';
import { isCallingCode, numberFromCarrier } from '#billing';

const NATIONAL = 2;

describe('a calling code', () => {
  test.each(['1', '7', '44', '39', '225', '262', '290', '599', '998'])('%s is one', (code) => {
    expect(isCallingCode(code)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['the prefix of a country that shares a code', '1204'],
    ['another such prefix', '76'],
    ['the first digit of others', '4'],
    ['what begins like a shorter code', '441'],
    ['of no country: satellites', '870'],
    ['given to nobody', '210'],
    ['the code of a country', 'GB'],
    ['a number with a sign', '+44'],
  ])('%s is none: %j', (_what, text) => {
    expect(isCallingCode(text)).toBe(false);
  });
});

describe('a number as a carrier wrote it', () => {
  test.each([
    ['a mobile in the United Kingdom', '44', '07700900123', '447700900123'],
    ['the same, with separators', '44', ' 07700 900-123 ', '447700900123'],
    ['the same, with parentheses', '44', '(07700) 900123', '447700900123'],
    ['a mobile in Sweden', '46', '0701234567', '46701234567'],
    ['a land line in Italy keeps its 0', '39', '0612345678', '390612345678'],
    ['a land line in San Marino keeps its 0', '378', '0549123456', '3780549123456'],
    ['a mobile in Ivory Coast keeps its 0', '225', '0701020304', '2250701020304'],
    ['a mobile in Benin keeps its 0', '229', '0197123456', '2290197123456'],
    ['a mobile in the Congo keeps its 0', '242', '061234567', '242061234567'],
    ['a mobile in Burkina Faso keeps its 0', '226', '01234567', '22601234567'],
    ['a mobile in Tajikistan keeps its 0', '992', '012345678', '992012345678'],
    ['a mobile in Hungary, behind 06', '36', '06301234567', '36301234567'],
    ['a mobile in Lithuania', '370', '061234567', '37061234567'],
  ])('%s, with its trunk prefix: %s and %s', (_what, callingCode, written, number) => {
    expect(numberFromCarrier(written, callingCode)).toBe(number);
    expect(numberFromCarrier(written, callingCode, NATIONAL)).toBe(number);
  });

  test.each([
    ['a mobile in the United Kingdom', '44', '7700900123', '447700900123'],
    ['a mobile in Italy', '39', '3331234567', '393331234567'],
    ['a mobile in Spain, which has no trunk prefix', '34', '612345678', '34612345678'],
    ['a number in North America', '1', '2125550123', '12125550123'],
    ['the same, behind 1', '1', '12125550123', '12125550123'],
    ['a mobile in Russia', '7', '9161234567', '79161234567'],
    ['the same, behind 8', '7', '89161234567', '79161234567'],
    ['a land line in Russia that begins with 8', '7', '8121234567', '78121234567'],
    ['a mobile in Hungary', '36', '301234567', '36301234567'],
    ['a land line in Hungary that begins with 6', '36', '62123456', '3662123456'],
    ['a mobile in Lithuania, behind 8', '370', '861234567', '37061234567'],
    ['a mobile in Belarus, behind 80', '375', '80291234567', '375291234567'],
    ['a mobile in Belarus, behind 8', '375', '8291234567', '375291234567'],
    ['a mobile in Turkmenistan, behind 8', '993', '865123456', '99365123456'],
    ['a number of seven digits in Iceland', '354', '6101234', '3546101234'],
  ])('%s, as of type 2: %s and %s', (_what, callingCode, written, number) => {
    expect(numberFromCarrier(written, callingCode, NATIONAL)).toBe(number);
  });

  test.each([
    ['a number with +', '+46701234567', '46701234567'],
    ['a number with 00', '0046701234567', '46701234567'],
    ['a short code', '60999', '60999'],
    ['a short code with 0', '060999', '060999'],
    ['letters', 'Acme 0123456', 'Acme 0123456'],
    ['nothing', '', ''],
    ['more digits than a number has', '0770090012345678', '0770090012345678'],
    ['a number with two signs', '+0701234567', '+0701234567'],
  ])('%s stays as it is, whatever its type: %j', (_what, written, expected) => {
    for (const ton of [0, 1, NATIONAL, 3, 5]) expect(numberFromCarrier(written, '44', ton)).toBe(expected);
  });

  test('bare digits are international unless their type says that they are not', () => {
    for (const ton of [0, 1, 3, 4, 6]) expect(numberFromCarrier('46701234567', '44', ton)).toBe('46701234567');
  });

  test('one 0 in front is no international number, whatever its type; digits of a name stay', () => {
    for (const ton of [0, 1, 3, 4, 6]) expect(numberFromCarrier('07700900123', '44', ton)).toBe('447700900123');
    expect(numberFromCarrier('07700900123', '44', 5)).toBe('07700900123');
  });

  test('without a calling code nothing is added', () => {
    expect(numberFromCarrier('07700900123', undefined, NATIONAL)).toBe('07700900123');
    expect(numberFromCarrier(' 7700900123', undefined, NATIONAL)).toBe('7700900123');
  });
});
