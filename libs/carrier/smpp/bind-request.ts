import type { ConnectionEnd } from './connection.js';
import { cString, octets } from './pdu.js';
import type { CompleteSettings } from './settings.js';

// The request for a bind (SMPP 3.4 section 4.1), and why it had no response, for operators.

const INTERFACE_VERSIONS = { '3.3': 0x33, '3.4': 0x34 } as const;
/** SMPP 3.4 section 4.1.1; most carriers take more. */
const PASSWORD_OCTETS_MAX = 8;

/** The body, which is the same for each role. */
export function bindRequest(settings: CompleteSettings): string {
  const { systemId, password, systemType, interfaceVersion, addressTon, addressNpi, addressRange } = settings;
  return (
    cString(systemId) +
    cString(password) +
    cString(systemType) +
    octets(INTERFACE_VERSIONS[interfaceVersion], addressTon, addressNpi) +
    cString(addressRange)
  );
}

export function notConnected({ connectTimeoutMs, tls }: CompleteSettings): string {
  return `the connection${tls ? ' with TLS' : ''} was not made within ${connectTimeoutMs} ms`;
}

/**
 * Some carriers answer a wrong password, an unknown user or a foreign address only by closing. So do some ports for TLS
 * that get none; others, such as Java's, send an alert of TLS, which is no PDU.
 */
export function notAnswered({ tls }: CompleteSettings, how: ConnectionEnd): string {
  const [fault, advice] =
    how === 'closed'
      ? ['the carrier closed the connection before it answered the bind', 'check user and password']
      : ['the carrier answered the bind with octets that are no SMPP', 'check host and port'];
  return `${fault}; ${advice}${tls ? '' : ', and whether the port wants TLS'}`;
}

/**
 * Some carriers drop a bind that they cannot read, without an answer. The reason names the only field that may be too
 * long.
 */
export function noBindAnswer({ password, responseTimeoutMs }: CompleteSettings): string {
  const advice =
    password.length > PASSWORD_OCTETS_MAX ? `; its password is longer than ${PASSWORD_OCTETS_MAX} octets` : '';
  return `no answer to the bind within ${responseTimeoutMs} ms${advice}`;
}
