import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON, with its content type. */
  readonly json?: unknown;
  /** Sent as it is; the content type is the caller's. */
  readonly body?: string | Buffer;
  /** Sends the body without a Content-Length. */
  readonly chunked?: boolean;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, for a test to judge. */
  readonly json: unknown;
  /** The same, read as what a test expects it to be. */
  as<Body>(): Body;
}

const RESPONSE_TIMEOUT_MS = 20_000;

/** Speaks HTTP to one port and hands on what came back, untouched. */
export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly port: number) {}

  request(method: string, path: string, options: RequestOptions = {}): Promise<HttpReply> {
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const headers: Record<string, string | string[]> = { ...options.headers };
    if (options.json !== undefined && headers['Content-Type'] === undefined)
      headers['Content-Type'] = 'application/json';
    if (body !== undefined && !options.chunked) headers['Content-Length'] = String(Buffer.byteLength(body));
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port: this.port, method, path, headers, agent: this.agent, timeout: RESPONSE_TIMEOUT_MS },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve(replyOf(response.statusCode ?? 0, response.headers, text));
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error(`no response to ${method} ${path}`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /**
   * Bytes on a bare socket; resolves with all that comes back until the server hangs up.
   *
   * @param ends the client ends its side of the connection after them
   */
  raw(bytes: string | Buffer, { ends = false } = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => (ends ? socket.end(bytes) : socket.write(bytes)));
      let answer = '';
      socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy(new Error('the server did not hang up')));
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function replyOf(status: number, headers: IncomingHttpHeaders, text: string): HttpReply {
  return {
    status,
    headers,
    text,
    get json(): unknown {
      return JSON.parse(text);
    },
    as<Body>() {
      return JSON.parse(text) as Body;
    },
  };
}
