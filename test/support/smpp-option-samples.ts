import type { SmppCarrierSettings } from '#carrier';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from './tls-identity.js';

/** With these the carrier is reached over TLS, so that the options of TLS can be changed as well. */
export const BASE_OPTIONS: Partial<SmppCarrierSettings> = { tlsCaPem: TEST_CERTIFICATE_PEM };

/**
 * For every option of an SMPP carrier other values than it usually has, with what has to be set along with them. A new
 * option has to be added here: the specs that walk through it fail until then.
 */
export const SMPP_OPTION_SAMPLES: Readonly<Record<string, readonly Partial<SmppCarrierSettings>[]>> = {
  bindMode: [{ bindMode: 'transmitter+receiver' }],
  interfaceVersion: [{ interfaceVersion: '3.3' }],
  systemType: [{ systemType: 'vma' }],
  addressTon: [{ addressTon: 1 }],
  addressNpi: [{ addressNpi: 8 }],
  addressRange: [{ addressRange: '^46' }],
  sender: [{ sender: 'Otherwise' }, { sender: '46700000001' }],
  fixedSender: [{ fixedSender: true }],
  sourceTon: [{ sourceTon: 4 }],
  sourceNpi: [{ sourceNpi: 9 }],
  destinationTon: [{ destinationTon: 0 }],
  destinationNpi: [{ destinationNpi: 0 }],
  serviceType: [{ serviceType: 'CMT' }],
  dataCoding: [{ dataCoding: 3, defaultAlphabet: 'latin1' }, { dataCoding: 0xf1 }],
  concatenation: [{ concatenation: 'payload' }, { concatenation: 'sar' }, { concatenation: 'udh16' }],
  messagingMode: [{ messagingMode: 'store-and-forward' }],
  priority: [{ priority: 3 }],
  registeredDelivery: [{ registeredDelivery: 0 }],
  validityPeriodSeconds: [{ validityPeriodSeconds: 3_600 }],
  errorCodes: [{ errorCodes: { 1025: 'throttled' } }],
  callingCode: [{ callingCode: '44' }],
  responseTimeoutMs: [{ responseTimeoutMs: 9_000 }],
  enquireLinkIntervalMs: [{ enquireLinkIntervalMs: 5_000 }],
  tlsCaPem: [{ tlsCaPem: `${TEST_CERTIFICATE_PEM}\n` }],
  tlsServerName: [{ tlsServerName: 'localhost' }],
  tlsCertificatePem: [{ tlsCertificatePem: TEST_CERTIFICATE_PEM, tlsKeyPem: TEST_KEY_PEM }],
  tlsKeyPem: [{ tlsCertificatePem: TEST_CERTIFICATE_PEM, tlsKeyPem: TEST_KEY_PEM }],
  tlsInsecure: [{ tlsInsecure: true }],
};
