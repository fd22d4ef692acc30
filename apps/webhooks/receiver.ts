import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { VERSION } from '#config';
import { literalOf, type ReceiverAddresses, signedHeaders } from '#webhooks';
import { type NameLookup, ReceiverName } from './receiver-name.js';

const ANSWER_BYTES_MAX = 16_384;
const CONNECTIONS_MAX = 64;
/**
 * Shorter than servers usually keep a connection (5 s and more): a request on a connection that the server has just
 * closed would fail.
 */
const IDLE_MS = 4_000;
/**
 * For each but the last of several addresses. Node's own 250 ms is less than a round trip to a far receiver; this one
 * also covers a lost packet, which is sent again after a second (RFC 6298, section 2.1).
 */
const ADDRESS_TRIED_MS = 1_500;

/** What became of a request. */
export interface Answer {
  /** undefined: there was none. */
  readonly httpStatus: number | undefined;
  /** For people; undefined: it succeeded. */
  readonly error: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isTimeout: boolean;
  readonly durationMs: number;
}

/** A request to an address that is not allowed. */
class AddressRefused extends Error {}

/** The client's end of one webhook. It connects to allowed addresses only, wherever its name leads at that moment. */
export class Receiver {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly name: ReceiverName;

  constructor(
    private readonly url: URL,
    private readonly addresses: ReceiverAddresses,
    private readonly timeoutMs: number,
    lookUp?: NameLookup,
  ) {
    this.name = new ReceiverName(lookUp);
    this.path = `${url.pathname}${url.search}`;
    this.pool = new Pool(url.origin, {
      connections: CONNECTIONS_MAX,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: ANSWER_BYTES_MAX,
      connect: this.connector(),
    });
  }

  /** Sends an event once; a redirect is a failure. */
  async post(eventId: string, body: string, secrets: readonly string[]): Promise<Answer> {
    const startMs = performance.now();
    const passed = () => Math.round(performance.now() - startMs);
    try {
      // A literal address is not looked up.
      const literal = literalOf(this.url);
      if (literal !== undefined) this.check(literal);
      const response = await this.pool.request({
        path: this.path,
        method: 'POST',
        body,
        signal: AbortSignal.timeout(this.timeoutMs),
        headers: {
          'content-type': 'application/json',
          'user-agent': `Heliograph/${VERSION}`,
          ...signedHeaders(eventId, Math.floor(Date.now() / 1_000), body, secrets),
        },
      });
      // The status decides; an answer that does not end changes nothing.
      await response.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => undefined);
      const { statusCode: httpStatus, headers } = response;
      const hasSucceeded = httpStatus >= 200 && httpStatus < 300;
      return {
        httpStatus,
        error: hasSucceeded ? undefined : `the receiver answered ${httpStatus}`,
        retryAfterMs: retryAfterOf(headers['retry-after']),
        isTimeout: false,
        durationMs: passed(),
      };
    } catch (error) {
      const isTimeout = /Timeout/.test((error as Error).name) || /TIMEOUT|TIMEDOUT/.test(codeOf(error));
      return {
        httpStatus: undefined,
        error: isTimeout ? `no answer within ${this.timeoutMs / 1_000} s` : wordsFor(error),
        retryAfterMs: undefined,
        isTimeout,
        durationMs: passed(),
      };
    }
  }

  /** Waits for the open requests. */
  finish(): Promise<void> {
    return this.pool.close();
  }

  /** Cuts the open requests off. */
  close(): Promise<void> {
    return this.pool.destroy();
  }

  private connector(): buildConnector.connector {
    const connect = buildConnector({
      timeout: this.timeoutMs,
      lookup: this.guardedLookup(),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TRIED_MS,
    } as buildConnector.BuildOptions);
    return (options, callback) => {
      connect(options, (...[error, socket]: [Error, null?] | [null, Socket]) => {
        if (error !== null) return callback(error, null);
        try {
          this.check(socket.remoteAddress ?? '');
          callback(null, socket);
        } catch (refused) {
          socket.destroy();
          callback(refused as Error, null);
        }
      });
    };
  }

  /** Refuses a name unless every address of it is allowed, so that a name cannot be bound anew after a check. */
  private guardedLookup(): LookupFunction {
    return (hostname, options, callback) => {
      const found = this.name.addresses(hostname, { ...options, all: true }).then((addresses) => {
        for (const { address } of addresses) this.check(address);
        return addresses;
      });
      found.then(
        (addresses) => {
          if (options.all === true) return callback(null, addresses);
          const [first] = addresses;
          callback(null, first?.address ?? '', first?.family ?? isIP(first?.address ?? ''));
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
    };
  }

  private check(address: string): void {
    if (this.addresses.mayReach(address, this.url)) return;
    throw new AddressRefused('the address leads to a network that webhooks may not reach');
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? '');
}

/** Without addresses and names of the operator's machines. */
function wordsFor(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  // It has no code.
  if ((error as Error).name === 'HTTPParserError') return 'the answer of the receiver is not valid HTTP/1.1';
  const code = codeOf(error);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name of the receiver was not found';
    case 'ECONNREFUSED':
      return 'the receiver refused the connection';
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'the receiver closed the connection';
    default:
      // What OpenSSL says of a handshake, such as ERR_SSL_WRONG_VERSION_NUMBER, is not about the certificate.
      if (/^ERR_SSL_|^EPROTO$/.test(code)) return `a TLS connection with the receiver is not possible (${code})`;
      return /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code)
        ? `the certificate of the receiver is not valid (${code})`
        : `the request failed${code === '' ? '' : ` (${code})`}`;
  }
}
