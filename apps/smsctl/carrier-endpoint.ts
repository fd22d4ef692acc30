import type { CarrierEndpoint } from '#carrier';
import { OperatorError, type StoredCarrier } from '#persistence';

/** How a carrier is reached, from its URL. */
export type Endpoint = CarrierEndpoint;

/**
 * Reads a carrier's URL as the adapter of its protocol does. Loads the adapters only here, because their codecs load
 * too.
 *
 * @throws OperatorError saying which part is missing or wrong, without the password
 */
export async function readEndpoint(url: string): Promise<Endpoint> {
  const { CarrierUrlError, parseCarrierEndpoint } = await import('#carrier');
  try {
    return parseCarrierEndpoint(url);
  } catch (error) {
    if (error instanceof CarrierUrlError) throw new OperatorError(error.message);
    throw error;
  }
}

/** Warnings about the settings of a carrier, one a line; empty if there are none. */
export async function adviceOn(carrier: StoredCarrier): Promise<string> {
  const { carrierAdvice } = await import('#carrier');
  return carrierAdvice(carrier)
    .map((line) => `\n${line}`)
    .join('');
}

/** A carrier's URL without its password. */
export function addressOf({ protocol, tls, systemId, host, port, options }: StoredCarrier): string {
  const scheme = `${protocol}${tls ? 's' : ''}`;
  const path = protocol === 'http' && typeof options.pathPrefix === 'string' ? options.pathPrefix : '';
  return `${scheme}://${encodeURIComponent(systemId)}@${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
