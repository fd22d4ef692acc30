export { literalOf, ReceiverAddresses, URL_LENGTH_MAX } from './receiver-address.js';
