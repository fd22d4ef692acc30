import type { OutboundSegment } from '../carrier.js';
import type { CompleteSettings } from './settings.js';

const DAY_SECONDS = 86_400;

/**
 * The shorter of what the message and the carrier's settings ask for; empty leaves it to the carrier. A relative time
 * (SMPP 3.4 section 7.1.1.2), so clocks need not agree.
 */
export function validityPeriod(
  { validitySeconds }: OutboundSegment,
  { validityPeriodSeconds }: CompleteSettings,
): string {
  const asked = validitySeconds ?? validityPeriodSeconds;
  if (asked === undefined) return '';
  const seconds = Math.min(asked, validityPeriodSeconds ?? asked);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = seconds % DAY_SECONDS;
  return `0000${two(seconds / DAY_SECONDS)}${two(rest / 3600)}${two((rest % 3600) / 60)}${two(rest % 60)}000R`;
}
