import type { NewCarrier } from '../../libs/persistence/carriers/carrier-settings.js';

/** Settings of a carrier that nobody connects to. */
export function smppCarrier(changes: Partial<NewCarrier> = {}): NewCarrier {
  return {
    name: 'acme',
    host: '127.0.0.1',
    port: 2775,
    systemId: 'user',
    password: 'secret',
    tls: false,
    windowSize: 10,
    submitsPerSecond: undefined,
    messageIdFormat: 'as-is',
    defaultAlphabet: 'gsm0338',
    inDoubtPolicy: 'resend',
    ...changes,
  };
}
