import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { type Config, ConfigError } from '#config';
import type { Logger } from '#telemetry';

/**
 * The gateway reads the files regularly instead of watching them: that also notices changed links, and folders of other
 * machines.
 */
const LOOK_EVERY_MS = 2_000;
/** Certificate and key are two files; to replace both takes a moment. */
const SETTLED_AFTER_MS = 500;
const EXPIRES_SOON_MS = 14 * 24 * 3_600_000;

interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** The certificate and the key of the API's listener, from files that may be replaced while the gateway runs. */
export class TlsFiles {
  private identity: TlsIdentity;
  private timer: NodeJS.Timeout | undefined;
  private readonly reload: () => void;
  private server: Server | undefined;

  private constructor(
    private readonly certFile: string,
    private readonly keyFile: string,
    private readonly log: Logger,
  ) {
    this.identity = readIdentity(certFile, keyFile);
    tellExpiry(this.identity, log);
    this.reload = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.takeUp(), SETTLED_AFTER_MS).unref();
    };
  }

  /**
   * Undefined if TLS is not configured.
   *
   * @throws ConfigError in one line when the files do not hold a certificate and its key
   */
  static open({ TLS_CERT_FILE, TLS_KEY_FILE }: Config, log: Logger): TlsFiles | undefined {
    if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
    return new TlsFiles(TLS_CERT_FILE, TLS_KEY_FILE, log);
  }

  /** The options of a new server. */
  get options() {
    return { ...this.identity, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;
  }

  /** When the certificate that new connections get expires. */
  get expiresAt(): Date {
    return new Date(new X509Certificate(this.identity.cert).validTo);
  }

  /** New connections use the content of the files from the moment that they change, or at SIGHUP. */
  follow(server: Server): void {
    this.server = server;
    for (const file of [this.certFile, this.keyFile]) {
      watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, this.reload);
    }
    process.on('SIGHUP', this.reload);
  }

  close(): void {
    clearTimeout(this.timer);
    for (const file of [this.certFile, this.keyFile]) unwatchFile(file, this.reload);
    process.off('SIGHUP', this.reload);
  }

  /** A file that cannot be used changes nothing: the gateway keeps the current certificate. */
  private takeUp(): void {
    try {
      const identity = readIdentity(this.certFile, this.keyFile);
      if (identity.cert === this.identity.cert && identity.key === this.identity.key) return;
      this.server?.setSecureContext({ ...identity, minVersion: 'TLSv1.2' });
      this.identity = identity;
      this.log.info({ validTo: new X509Certificate(identity.cert).validTo }, 'the new TLS certificate is in use');
      tellExpiry(identity, this.log);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.log.error(`the TLS certificate in use stays: ${why}`);
    }
  }
}

function readIdentity(certFile: string, keyFile: string): TlsIdentity {
  const cert = readText('TLS_CERT_FILE', certFile);
  const key = readText('TLS_KEY_FILE', keyFile);
  const certificate = parsed(`TLS_CERT_FILE ${certFile} is not a PEM certificate`, () => new X509Certificate(cert));
  const privateKey = parsed(`TLS_KEY_FILE ${keyFile} is not a PEM private key without a passphrase`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError(`the key in TLS_KEY_FILE ${keyFile} is not the key of the certificate in ${certFile}`);
  }
  refuseUnusable(certFile, { cert, key });
  return { cert, key };
}

/** OpenSSL takes no certificate whose key is too short or that was signed with SHA-1: the listener would throw. */
function refuseUnusable(certFile: string, identity: TlsIdentity): void {
  try {
    createSecureContext({ ...identity, minVersion: 'TLSv1.2' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(`OpenSSL refuses TLS_CERT_FILE ${certFile} with its key: ${code ?? message}`);
  }
}

function readText(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting} ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parsed<Result>(fault: string, parse: () => Result): Result {
  try {
    return parse();
  } catch {
    throw new ConfigError(fault);
  }
}

function tellExpiry({ cert }: TlsIdentity, log: Logger): void {
  const { validTo } = new X509Certificate(cert);
  const leftMs = Date.parse(validTo) - Date.now();
  if (leftMs < 0) log.warn({ validTo }, 'the TLS certificate has expired: clients will refuse to connect');
  else if (leftMs < EXPIRES_SOON_MS) log.warn({ validTo }, 'the TLS certificate expires soon');
}
