import { type CarrierSettings, OperatorError } from '#persistence';

/** What the adapter is made with here only to see whether it can be made; a worker has its own. */
const DEFAULTS = { sender: 'Heliograph', responseTimeoutMs: 30_000 };
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Makes the adapter from a carrier's settings, unconnected, because it alone knows which of them go together.
 *
 * @throws OperatorError naming the setting that cannot work
 */
export async function checkCarrier(settings: CarrierSettings): Promise<void> {
  const { createCarrier } = await import('#carrier');
  try {
    createCarrier(settings, DEFAULTS, { onReceipt: async () => undefined, log: SILENT });
  } catch (error) {
    if (error instanceof RangeError) throw new OperatorError(error.message);
    throw error;
  }
}
