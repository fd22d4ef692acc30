import { InvalidArgumentError } from 'commander';

export interface CarrierAddress {
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly tls: boolean;
}

/** The port registered for SMPP, and the one in common use for SMPP over TLS. */
const DEFAULT_PORT = { 'smpp:': 2775, 'smpps:': 3550 } as const;

/**
 * Reads `smpp://USER:PASSWORD@HOST:PORT`, or `smpps://` for TLS. Special characters in user and password are
 * percent-encoded, as in every URL. The password never stands in an error.
 */
export function carrierUrl(text: string): CarrierAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new InvalidArgumentError('It has the form smpp://USER:PASSWORD@HOST:PORT.');
  const { protocol } = url;
  if (protocol !== 'smpp:' && protocol !== 'smpps:') {
    throw new InvalidArgumentError('It begins with smpp://, or with smpps:// for TLS.');
  }
  if (url.hostname === '') throw new InvalidArgumentError('It names no host.');
  if (url.username === '' || url.password === '')
    throw new InvalidArgumentError('It names USER:PASSWORD before the @.');
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('Nothing follows HOST:PORT.');
  }
  return {
    // An IPv6 address stands in brackets in a URL only.
    host: decoded(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT[protocol] : Number(url.port),
    systemId: decoded(url.username),
    password: decoded(url.password),
    tls: protocol === 'smpps:',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidArgumentError(
      'A % in it is not followed by two hexadecimal digits; write %25 for the sign itself.',
    );
  }
}
