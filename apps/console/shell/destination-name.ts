import { locale } from './locale.js';

/** The country of a calling code, where one code is one country. */
const REGIONS: Readonly<Record<string, string>> = {
  '20': 'EG',
  '27': 'ZA',
  '30': 'GR',
  '31': 'NL',
  '32': 'BE',
  '33': 'FR',
  '34': 'ES',
  '36': 'HU',
  '39': 'IT',
  '40': 'RO',
  '41': 'CH',
  '43': 'AT',
  '44': 'GB',
  '45': 'DK',
  '46': 'SE',
  '47': 'NO',
  '48': 'PL',
  '49': 'DE',
  '51': 'PE',
  '52': 'MX',
  '54': 'AR',
  '55': 'BR',
  '56': 'CL',
  '57': 'CO',
  '60': 'MY',
  '61': 'AU',
  '62': 'ID',
  '63': 'PH',
  '64': 'NZ',
  '65': 'SG',
  '66': 'TH',
  '81': 'JP',
  '82': 'KR',
  '84': 'VN',
  '86': 'CN',
  '90': 'TR',
  '91': 'IN',
  '92': 'PK',
  '94': 'LK',
  '98': 'IR',
  '212': 'MA',
  '216': 'TN',
  '234': 'NG',
  '254': 'KE',
  '351': 'PT',
  '352': 'LU',
  '353': 'IE',
  '354': 'IS',
  '356': 'MT',
  '357': 'CY',
  '358': 'FI',
  '359': 'BG',
  '370': 'LT',
  '371': 'LV',
  '372': 'EE',
  '380': 'UA',
  '381': 'RS',
  '385': 'HR',
  '386': 'SI',
  '420': 'CZ',
  '421': 'SK',
  '852': 'HK',
  '886': 'TW',
  '966': 'SA',
  '971': 'AE',
  '972': 'IL',
};

const names = new Intl.DisplayNames(locale, { type: 'region' });

/**
 * "Germany (+49)" in the reader's language. Of a code that several countries share, the name of the price list; where
 * there is none, the code alone.
 */
export function destinationName(code: string, listed: string | null = null): string {
  const region = REGIONS[code];
  const name = region === undefined ? listed : names.of(region);
  return name ? `${name} (+${code})` : `+${code}`;
}
