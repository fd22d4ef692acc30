export { literalOf, ReceiverAddresses, URL_LENGTH_MAX } from './receiver-address.js';
export { probeDelayMs, RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.js';
export { signedHeaders } from './signature.js';
