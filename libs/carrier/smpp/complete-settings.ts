import { SETTING_RULES } from './setting-rules.js';
import { type CompleteSettings, SMPP_DEFAULTS, type SmppCarrierSettings } from './settings.js';
import { tlsFault } from './tls.js';

/**
 * Settings with every default filled in.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function completeSettings(settings: SmppCarrierSettings): CompleteSettings {
  const complete: CompleteSettings = { ...SMPP_DEFAULTS, ...settings };
  for (const [name, rule] of Object.entries(SETTING_RULES)) {
    const value: unknown = complete[name as keyof typeof SETTING_RULES];
    const fault = value === undefined ? undefined : rule(value);
    if (fault !== undefined) throw new RangeError(`carrier ${settings.name}: ${name} ${fault}`);
  }
  const fault = togetherFault(complete) ?? tlsFault(complete);
  if (fault !== undefined) throw new RangeError(`carrier ${settings.name}: ${fault}`);
  return Object.freeze(complete);
}

/** Settings that are right alone and wrong together. */
function togetherFault({ interfaceVersion, concatenation }: CompleteSettings): string | undefined {
  const needsParameters = concatenation === 'sar' || concatenation === 'payload';
  if (interfaceVersion === '3.3' && needsParameters) {
    return `concatenation ${concatenation} needs optional parameters, which interfaceVersion 3.3 does not have`;
  }
  return undefined;
}
