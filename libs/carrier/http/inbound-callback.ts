import { createHash } from 'node:crypto';
import { numberFromCarrier } from '#billing';
import { callingCodeOf } from '../calling-code.js';
import type { InboundPart } from '../inbound.js';

const ID_LENGTH_MAX = 64;
const ADDRESS_LENGTH_MAX = 64;

/**
 * A message from a handset, as the provider posts it to the inbound address: whole, with an id of its own, so it is
 * known however often it comes.
 *
 * @param options of the carrier, as they are stored
 * @returns undefined when it has no id or no numbers
 */
export function readInboundCallback(
  parameters: URLSearchParams,
  options: Readonly<Record<string, unknown>>,
): InboundPart | undefined {
  // Older copies of the API use names with Sms only.
  const id = parameters.get('MessageSid') ?? parameters.get('SmsSid') ?? '';
  const [source, destination] = [parameters.get('From') ?? '', parameters.get('To') ?? ''];
  if (id === '' || id.length > ID_LENGTH_MAX || !isAddress(source) || !isAddress(destination)) return undefined;
  const callingCode = callingCodeOf(options);
  return {
    source: numberFromCarrier(source, callingCode),
    destination: numberFromCarrier(destination, callingCode),
    text: parameters.get('Body') ?? '',
    part: undefined,
    fingerprint: createHash('sha256').update(`id ${id}`).digest(),
    isNumbered: true,
    connection: 'http',
    mayRepeat: true,
  };
}

function isAddress(text: string): boolean {
  return text !== '' && text.length <= ADDRESS_LENGTH_MAX && !text.includes('\0');
}
