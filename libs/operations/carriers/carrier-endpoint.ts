import type { CarrierEndpoint } from '#carrier';
import { OperatorError } from '#persistence';

/**
 * Reads a carrier's URL as the adapter of its protocol does. Loads the adapters only here, because their codecs load
 * too.
 *
 * @throws OperatorError saying which part is missing or wrong, without the password
 */
export async function readEndpoint(url: string): Promise<CarrierEndpoint> {
  const { CarrierUrlError, parseCarrierEndpoint } = await import('#carrier');
  try {
    return parseCarrierEndpoint(url);
  } catch (error) {
    if (error instanceof CarrierUrlError) throw new OperatorError(error.message);
    throw error;
  }
}
