import type { NewCarrier } from '../../libs/persistence/carriers/carrier-settings.js';

/** What the carrier signs its callbacks with. */
export const CALLBACK_TOKEN = 'token';

/** An HTTP carrier that nobody connects to: it makes callbacks only, to this address. */
export function callbackCarrier(callbackUrl: string): NewCarrier {
  return {
    name: 'acme',
    protocol: 'http',
    host: 'api.example.com',
    port: 443,
    tls: true,
    systemId: 'AC1',
    password: CALLBACK_TOKEN,
    windowSize: 10,
    submitsPerSecond: undefined,
    messageIdFormat: 'as-is',
    defaultAlphabet: 'gsm0338',
    inDoubtPolicy: 'resend',
    options: { callbackUrl },
  };
}
