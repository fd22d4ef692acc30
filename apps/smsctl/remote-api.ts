import { bareHost, isLoopback } from '#config/light';
import { OperatorError, type OperatorErrorKind } from '#persistence';
import type { Request } from './requests.js';

/** Longer than the longest statement of an endpoint. */
const TIMEOUT_MS = 660_000;
/** As both listeners of a gateway say it. */
const NO_PATH = 'There is nothing at this path.';
const KINDS: Readonly<Record<string, OperatorErrorKind>> = { not_found: 'missing', unusual_adjustment: 'unusual' };

/** The operators' API of a gateway, for an smsctl on another machine. */
export class RemoteApi {
  private readonly base: URL;

  /** @throws OperatorError when the address or the token is none, or a token would travel in clear */
  constructor(
    url: string,
    private readonly token: string,
  ) {
    if (!URL.canParse(url)) throw new OperatorError(`"${url}" is no address like https://sms-operators.example.com`);
    this.base = new URL(url);
    const isSafe =
      this.base.protocol === 'https:' || (this.base.protocol === 'http:' && isLoopback(bareHost(this.base.hostname)));
    if (!isSafe) throw new OperatorError('a token travels over https only (http works on this machine itself)');
    // What fetch says of these two repeats them.
    if (this.base.username !== '' || this.base.password !== '')
      throw new OperatorError('the address of --url has a user or a password: leave them out');
    if (!/^[!-~]+$/.test(token))
      throw new OperatorError('the token has characters that no token has: give the token alone, hgo_...');
  }

  /** @throws OperatorError with the reason that the service gives */
  async send(
    { method, path }: Pick<Request<never, unknown>, 'method' | 'path'>,
    input: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const place = path.replaceAll(/:(\w+)/g, (_all, name: string) => {
      const value = String(rest.get(name));
      rest.delete(name);
      // An address drops these two, also when they are encoded (RFC 3986, section 5.2.4), and leads elsewhere then.
      if (value === '.' || value === '..')
        throw new OperatorError(`there is nothing with the name ${value}`, 'missing');
      return encodeURIComponent(value);
    });
    const url = new URL(`api${place}`, withSlash(this.base));
    const hasBody = method !== 'GET' && method !== 'DELETE';
    if (!hasBody) for (const [name, value] of rest) url.searchParams.set(name, String(value));
    const response = await this.fetched(url, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        accept: 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      // An endpoint with options wants an object, also if none of them is given.
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text().catch((error: unknown) => {
      throw new OperatorError(
        `the answer of ${this.base.origin} broke off (${reasonOf(error)}): it may have been done`,
      );
    });
    if (response.status === 404 && problemOf(text).detail === NO_PATH) throw isAnother(url);
    if (!response.ok) throw refusalOf(response.status, text);
    try {
      return text === '' ? undefined : JSON.parse(text);
    } catch {
      throw isAnother(url);
    }
  }

  private async fetched(url: URL, options: RequestInit): Promise<Response> {
    try {
      return await fetch(url, options);
    } catch (error) {
      throw new OperatorError(`cannot reach ${this.base.origin}: ${reasonOf(error)}`);
    }
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = String((cause as { code?: unknown } | undefined)?.code);
  // What OpenSSL says of a handshake has numbers and files of its own source.
  if (/^ERR_SSL_|^EPROTO$/.test(code)) return `no TLS connection with it is possible (${code}): is it http?`;
  return cause instanceof Error ? cause.message : String(cause);
}

function isAnother({ origin, pathname }: URL): OperatorError {
  return new OperatorError(`${origin}${pathname} is not of the operators' API: is the port OPERATOR_PORT (3001)?`);
}

/** The reason in the words of a command that runs on the machine itself. */
function refusalOf(status: number, text: string): OperatorError {
  const { detail, code, errors = [] } = problemOf(text);
  if (detail === undefined) return new OperatorError(`the service answered with status ${status}`);
  // Of several faults `detail` has the number only.
  const sentences = errors.length > 1 ? errors.map((one) => one.detail) : [detail];
  const reason = sentences.map((one) => `${one.charAt(0).toLowerCase()}${one.slice(1)}`.replace(/\.$/, '')).join('; ');
  return new OperatorError(reason, KINDS[code ?? ''] ?? 'refused');
}

interface SentProblem {
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly { readonly detail: string }[];
}

function problemOf(text: string): SentProblem {
  try {
    return JSON.parse(text) as SentProblem;
  } catch {
    return {};
  }
}

function withSlash(base: URL): URL {
  return new URL(base.href.endsWith('/') ? base.href : `${base.href}/`);
}
