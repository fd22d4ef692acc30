import type { CarrierRecord } from './create-carrier.js';
import { parseHttpCarrierUrl } from './http/carrier-url.js';
import { CarrierUrlError, parseCarrierUrl } from './smpp/carrier-url.js';

/** How a carrier is reached, from one URL. */
export type CarrierEndpoint = Pick<
  CarrierRecord,
  'protocol' | 'host' | 'port' | 'tls' | 'systemId' | 'password' | 'options'
>;

/**
 * Reads the URL of a carrier of any protocol: `smpp://`, `smpps://`, `http://` or `https://`.
 *
 * @throws CarrierUrlError saying which part is missing or wrong
 */
export function parseCarrierEndpoint(text: string): CarrierEndpoint {
  if (/^https?:/i.test(text)) return { protocol: 'http', ...parseHttpCarrierUrl(text) };
  if (!/^s?smpps?:/i.test(text)) {
    throw new CarrierUrlError('a carrier URL starts with smpp://, smpps://, https:// or http://');
  }
  return { protocol: 'smpp', ...parseCarrierUrl(text), options: {} };
}

/** Warnings about the settings of a carrier, for an operator; empty if there are none. */
export function carrierAdvice({ protocol, options }: Pick<CarrierRecord, 'protocol' | 'options'>): string[] {
  if (protocol !== 'http' || options.callbackUrl !== undefined) return [];
  return [
    'Without callbackUrl the provider cannot report what became of a message: every message ends as unknown at the receipt deadline.',
  ];
}
