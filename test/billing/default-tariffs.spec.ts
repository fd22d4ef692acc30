import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildTariff, findPrice, formatMicros, parseTariffCsv } from '#billing';

/** Country codes assigned in the list annexed to ITU-T E.164, by zone; written from that list, not from the tariffs. */
const CALLING_CODES = `
  1
  20 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243
  244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 27 290 291 297 298
  299
  30 31 32 33 34 350 351 352 353 354 355 356 357 358 359 36 370 371 372 373 374 375 376 377 378 379 380 381 382 383 385
  386 387 388 389 39
  40 41 420 421 423 43 44 45 46 47 48 49
  500 501 502 503 504 505 506 507 508 509 51 52 53 54 55 56 57 58 590 591 592 593 594 595 596 597 598 599
  60 61 62 63 64 65 66 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692
  7
  800 808 81 82 84 850 852 853 855 856 86 870 878 880 881 882 883 886 888
  90 91 92 93 94 95 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 98 991 992 993 994 995 996 997
  998`
  .trim()
  .split(/\s+/);

/** Codes that no country and no service has: what begins with them is no number. */
const UNASSIGNED = [
  '210',
  '214',
  '219',
  '259',
  '283',
  '292',
  '384',
  '422',
  '671',
  '684',
  '699',
  '804',
  '830',
  '851',
  '999',
];

const CURRENCIES = ['eur', 'usd', 'gbp'] as const;
const ratesIn = (currency: string) =>
  parseTariffCsv(readFileSync(new URL(`../../../data/tariffs/default-${currency}.csv`, import.meta.url), 'utf8'));

describe.each(CURRENCIES)('the default tariff in %s', (currency) => {
  const rates = ratesIn(currency);
  const tariff = buildTariff(rates);

  test('prices every country calling code by a line of its own', () => {
    const prefixes = new Set(rates.map(({ prefix }) => prefix));
    expect(CALLING_CODES.filter((code) => !prefixes.has(code))).toEqual([]);
    expect(CALLING_CODES.filter((code) => findPrice(tariff, `${code}12345678`) === undefined)).toEqual([]);
  });

  test('prices nothing that is not assigned', () => {
    expect(UNASSIGNED.filter((code) => findPrice(tariff, `${code}12345678`) !== undefined)).toEqual([]);
    const stray = rates.filter(({ prefix }) => !CALLING_CODES.some((code) => prefix.startsWith(code)));
    expect(stray).toEqual([]);
  });

  test('has each prefix once, at a price above 0 and below 1, with 4 decimals', () => {
    expect(tariff.prices.size).toBe(rates.length);
    for (const { price } of rates) {
      expect(price > 0n && price < 1_000_000n).toBe(true);
      expect(price % 100n).toBe(0n);
    }
  });
});

test('the three default tariffs price the same prefixes', () => {
  const [eur, usd, gbp] = CURRENCIES.map((currency) => ratesIn(currency).map(({ prefix }) => prefix));
  expect(usd).toEqual(eur);
  expect(gbp).toEqual(eur);
});

test.each([
  ['a German landline', '493012345678', '0.075'],
  ['a German mobile', '4917012345678', '0.0724'],
  ['Jamaica within +1', '18765550123', '0.0934'],
  ['Kazakhstan within +7', '77011234567', '0.1812'],
  ['Vatican City by its Italian prefix', '390669812345', '0.0748'],
  ['Guernsey mobile within +44', '447781123456', '0.0452'],
])('the longest prefix decides in the default tariff: %s', (_, number, price) => {
  const found = findPrice(buildTariff(ratesIn('eur')), number);
  expect(found === undefined ? undefined : formatMicros(found)).toBe(price);
});
