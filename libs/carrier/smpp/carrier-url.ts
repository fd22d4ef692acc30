import { bareHost } from '#config/light';
import type { SmppCarrierSettings } from './settings.js';

type SmppEndpoint = Pick<SmppCarrierSettings, 'host' | 'port' | 'systemId' | 'password' | 'tls'>;

/** Says what is wrong with a carrier's URL without repeating the URL, because it holds a password. */
export class CarrierUrlError extends Error {}

const SCHEMES: Readonly<Record<string, { readonly tls: boolean; readonly port: number }>> = {
  'smpp:': { tls: false, port: 2775 },
  'smpps:': { tls: true, port: 3550 },
  'ssmpp:': { tls: true, port: 3550 },
};

/**
 * Reads `smpp://USER:PASSWORD@HOST:PORT`; `smpps://` and `ssmpp://` are the same over TLS. The port may be left out
 * (2775, or 3550 over TLS). Special characters in user and password are percent-encoded.
 *
 * @throws CarrierUrlError saying which part is missing or wrong
 */
export function parseCarrierUrl(text: string): SmppEndpoint {
  const url = parse(text);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined) throw new CarrierUrlError('a carrier URL starts with smpp:// or smpps://');
  if (url.hostname === '') throw new CarrierUrlError('the carrier URL names no host');
  if (url.username === '') throw new CarrierUrlError('the carrier URL names no user (smpp://USER:PASSWORD@HOST:PORT)');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new CarrierUrlError('the carrier URL ends after the port; encode / ? # in the password as %2F %3F %23');
  }
  const port = url.port === '' ? scheme.port : Number(url.port);
  if (port === 0) throw new CarrierUrlError('the port of the carrier URL must be 1 to 65535');
  const systemId = decode(url.username, 'user');
  // SMPP 3.4 section 4.1.1: system_id is at most 15 characters. Passwords beyond its 8 are common and accepted.
  if (systemId.length > 15) throw new CarrierUrlError('the user of the carrier URL is longer than 15 characters');
  const password = decode(url.password, 'password');
  return { host: bareHost(url.hostname), port, systemId, password, tls: scheme.tls };
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new CarrierUrlError('not a carrier URL (smpp://USER:PASSWORD@HOST:PORT)');
  }
}

function decode(part: string, name: string): string {
  try {
    const text = decodeURIComponent(part);
    if (/^[\x20-\x7e]*$/.test(text)) return text;
  } catch {
    // Falls through to one message for both mistakes.
  }
  throw new CarrierUrlError(`the ${name} of the carrier URL must be plain ASCII, special characters percent-encoded`);
}
