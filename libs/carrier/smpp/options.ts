import type { CarrierOption } from '../carrier-options.js';
import type { SmppCarrierSettings } from './settings.js';

/** The stored options of a carrier that is reached by SMPP. */
export type SmppOptions = Partial<Pick<SmppCarrierSettings, 'systemType'>>;

/** What an operator may say of a carrier that is reached by SMPP. */
export const SMPP_OPTIONS: readonly CarrierOption[] = [
  {
    name: 'systemType',
    value: '<text>',
    description: 'system_type of the bind, at most 12 characters (default: empty)',
    parse: (text) => {
      if (!/^[\x21-\x7e]{0,12}$/.test(text)) throw new RangeError('at most 12 ASCII characters without spaces');
      return text;
    },
  },
];
