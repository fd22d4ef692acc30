import type { OutboundSegment } from '../carrier.js';
import { statusCallbackUrl } from './callback-url.js';
import { type CompleteHttpSettings, VALIDITY_PERIOD_SECONDS_MAX } from './settings.js';

/** The API's own bound on Body, in characters. */
export const BODY_CHARACTERS_MAX = 1_600;

export function isTooLong(text: string): boolean {
  // Counted in characters, not UTF-16 units, so that only a text is refused that the API would certainly refuse.
  return text.length > BODY_CHARACTERS_MAX && [...text].length > BODY_CHARACTERS_MAX;
}

/** `POST {prefix}/2010-04-01/Accounts/{AccountSid}/Messages.json` */
export function messagesPath({ pathPrefix, systemId }: CompleteHttpSettings): string {
  return `${pathPrefix}/2010-04-01/Accounts/${encodeURIComponent(systemId)}/Messages.json`;
}

export function messageForm(segment: OutboundSegment, settings: CompleteHttpSettings): string {
  const form = new URLSearchParams({ To: `+${segment.destination}` });
  if (segment.sender === undefined && settings.messagingServiceSid !== undefined) {
    form.set('MessagingServiceSid', settings.messagingServiceSid);
  } else {
    form.set('From', fromOf(segment.sender ?? settings.sender));
  }
  form.set('Body', segment.text);
  if (settings.callbackUrl !== undefined) {
    form.set('StatusCallback', statusCallbackUrl(settings.callbackUrl, settings.name, segment.userMessageReference));
  }
  const validitySeconds = Math.min(
    segment.validitySeconds ?? Number.POSITIVE_INFINITY,
    settings.validityPeriodSeconds ?? VALIDITY_PERIOD_SECONDS_MAX,
  );
  const isAskedFor = segment.validitySeconds !== undefined || settings.validityPeriodSeconds !== undefined;
  if (isAskedFor) form.set('ValidityPeriod', String(validitySeconds));
  return form.toString();
}

/** E.164 with its plus sign; short codes and names as they are. */
function fromOf(sender: string): string {
  return /^\d{7,15}$/.test(sender) ? `+${sender}` : sender;
}
