import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { SmppCarrierSettings } from './settings.js';

/**
 * The TLS options of a carrier. The host of the certificate is verified unless the operator explicitly switched that
 * off.
 */
export function tlsOptions(settings: SmppCarrierSettings): ConnectionOptions {
  const { host, tlsCaPem, tlsServerName, tlsCertificatePem, tlsKeyPem, tlsInsecure } = settings;
  // No server name is sent for an IP address (RFC 6066 section 3); then the certificate must have the address.
  const servername = tlsServerName ?? (isIP(host) === 0 ? host : undefined);
  return {
    ...(servername !== undefined && { servername }),
    ...(tlsCaPem !== undefined && { ca: tlsCaPem }),
    ...(tlsCertificatePem !== undefined && { cert: tlsCertificatePem, key: tlsKeyPem }),
    ...(tlsInsecure === true && { rejectUnauthorized: false }),
  };
}

/** The fault of the TLS settings. It is reported once, at the start, because every attempt to connect would fail. */
export function tlsFault(settings: SmppCarrierSettings): string | undefined {
  const { tls, tlsCaPem, tlsServerName, tlsCertificatePem, tlsKeyPem, tlsInsecure } = settings;
  const isAsked = [tlsCaPem, tlsServerName, tlsCertificatePem, tlsKeyPem].some((value) => value !== undefined);
  if (!tls && (isAsked || tlsInsecure === true)) return 'options of TLS are given, but its URL is not smpps://';
  if ((tlsCertificatePem === undefined) !== (tlsKeyPem === undefined)) {
    return 'tlsCertificatePem and tlsKeyPem are needed together';
  }
  if (tlsCertificatePem === undefined || tlsKeyPem === undefined) return undefined;
  try {
    const key = createPrivateKey(tlsKeyPem);
    if (!new X509Certificate(tlsCertificatePem).checkPrivateKey(key)) {
      return 'tlsKeyPem is not the key of tlsCertificatePem';
    }
  } catch {
    return 'tlsKeyPem is not a PEM private key without a passphrase';
  }
  return weaknessFault(settings);
}

/** OpenSSL takes no certificate whose key is too short or that was signed with SHA-1: tls.connect would throw. */
function weaknessFault(settings: SmppCarrierSettings): string | undefined {
  try {
    createSecureContext(tlsOptions(settings));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `tlsCertificatePem and tlsKeyPem are refused by OpenSSL: ${code ?? message}`;
  }
}
