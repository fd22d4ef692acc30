import type { CarrierSettings, StoredCarrier } from '#persistence';
import { OperatorError } from '#persistence';

/** How a carrier is reached, from its URL. */
export type Endpoint = Pick<
  CarrierSettings,
  'protocol' | 'host' | 'port' | 'tls' | 'systemId' | 'password' | 'options'
>;

/**
 * Reads a carrier's URL as the adapter of its protocol does; loaded here only, because the codecs come with it.
 *
 * @throws OperatorError saying which part is missing or wrong, without the password
 */
export async function readEndpoint(url: string): Promise<Endpoint> {
  const { CarrierUrlError, parseCarrierUrl } = await import('#carrier');
  try {
    return { protocol: 'smpp', options: {}, ...parseCarrierUrl(url) };
  } catch (error) {
    if (error instanceof CarrierUrlError) throw new OperatorError(error.message);
    throw error;
  }
}

/** A carrier's URL without its password. */
export function addressOf({ protocol, tls, systemId, host, port }: StoredCarrier): string {
  const scheme = `${protocol}${tls ? 's' : ''}`;
  return `${scheme}://${encodeURIComponent(systemId)}@${host.includes(':') ? `[${host}]` : host}:${port}`;
}
