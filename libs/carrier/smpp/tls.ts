import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { SmppCarrierSettings } from './settings.js';

/**
 * What TLS needs to know of a carrier. The host of the certificate is verified unless the operator gave that up in so
 * many words.
 */
export function tlsOptions(settings: SmppCarrierSettings): ConnectionOptions {
  const { host, tlsCaPem, tlsServerName, tlsCertificatePem, tlsKeyPem, tlsInsecure } = settings;
  // No server name is sent for an IP address (RFC 6066 section 3); the certificate is held against the address then.
  const servername = tlsServerName ?? (isIP(host) === 0 ? host : undefined);
  return {
    ...(servername !== undefined && { servername }),
    ...(tlsCaPem !== undefined && { ca: tlsCaPem }),
    ...(tlsCertificatePem !== undefined && { cert: tlsCertificatePem, key: tlsKeyPem }),
    ...(tlsInsecure === true && { rejectUnauthorized: false }),
  };
}

/** What is wrong with the TLS settings; said once, at the start, because it would fail at every attempt to connect. */
export function tlsFault(settings: SmppCarrierSettings): string | undefined {
  const { tls, tlsCaPem, tlsServerName, tlsCertificatePem, tlsKeyPem, tlsInsecure } = settings;
  const isAsked = [tlsCaPem, tlsServerName, tlsCertificatePem, tlsKeyPem].some((value) => value !== undefined);
  if (!tls && (isAsked || tlsInsecure === true)) return 'options of TLS are given, but its URL is not smpps://';
  if ((tlsCertificatePem === undefined) !== (tlsKeyPem === undefined)) {
    return 'tlsCertificatePem and tlsKeyPem are needed together';
  }
  if (tlsCertificatePem === undefined || tlsKeyPem === undefined) return undefined;
  try {
    if (new X509Certificate(tlsCertificatePem).checkPrivateKey(createPrivateKey(tlsKeyPem))) return undefined;
  } catch {
    return 'tlsKeyPem is not a PEM private key without a passphrase';
  }
  return 'tlsKeyPem is not the key of tlsCertificatePem';
}
