import { type CarrierSettings, OperatorError } from '#persistence';

/** Defaults for a trial construction of the adapter; workers have their own. */
const DEFAULTS = { sender: 'Heliograph', responseTimeoutMs: 30_000 };
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Builds the adapter from a carrier's settings without connecting it, because only the adapter knows which settings fit
 * together.
 *
 * @throws OperatorError naming the setting that cannot work
 */
export async function checkCarrier(settings: CarrierSettings): Promise<void> {
  const { createCarrier } = await import('#carrier');
  try {
    createCarrier(settings, DEFAULTS, {
      onReceipt: async () => undefined,
      onInbound: async () => undefined,
      log: SILENT,
    });
  } catch (error) {
    if (error instanceof RangeError) throw new OperatorError(error.message);
    throw error;
  }
}
