export { literalOf, ReceiverAddresses, URL_LENGTH_MAX } from './receiver-address.js';
export { ATTEMPTS_MAX, probeDelayMs, RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.js';
export { signedHeaders } from './signature.js';
