import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '../listen.js';
import { type ApiError, AUTHENTICATE, NOT_FOUND } from './api-error.js';
import type { Account, AnswerSheet, MessageIntake } from './message-intake.js';
import { readMessage } from './read-message.js';

const BODY_BYTES_MAX = 64 * 1024;
const MESSAGES_PATH = /^\/2010-04-01\/Accounts\/([^/?#]+)\/Messages\.json$/;

/** The HTTP API of a simulator, listening. */
export interface RunningHttpApi {
  readonly port: number;
  /** Drops every connection as a crash of the provider would. */
  disconnectAll(): void;
  close(): Promise<void>;
}

export interface HttpApiDependencies {
  readonly intake: MessageIntake;
  readonly admit: (account: Account) => boolean;
  readonly flushRecords: () => void;
}

/**
 * Starts a simulation of Twilio's message API, which others copy.
 *
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function startHttpApi(
  at: { readonly port: number; readonly host: string },
  dependencies: HttpApiDependencies,
): Promise<RunningHttpApi> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    // A client that breaks off is no fault of ours, but its error event needs a listener.
    request.on('error', () => undefined);
    receive(request, response, dependencies);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const disconnectAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await listen(server, at.port, at.host);
  return {
    port,
    disconnectAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        disconnectAll();
      }),
  };
}

function receive(request: IncomingMessage, response: ServerResponse, dependencies: HttpApiDependencies): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    else request.destroy();
  });
  request.on('end', () => {
    const answer = answerSheet(response, dependencies.flushRecords);
    const account = accountOf(request.headers.authorization);
    const [path = ''] = (request.url ?? '').split('?');
    const sid = MESSAGES_PATH.exec(path)?.[1];
    if (sid === undefined || request.method !== 'POST') {
      answer.error(NOT_FOUND);
      return;
    }
    if (account === undefined || encodeURIComponent(account.sid) !== sid || !dependencies.admit(account)) {
      answer.error(AUTHENTICATE);
      return;
    }
    const message = readMessage(new URLSearchParams(Buffer.concat(chunks).toString()));
    if ('status' in message) answer.error(message);
    else dependencies.intake.take(account, message, answer);
  });
}

function answerSheet(response: ServerResponse, flushRecords: () => void): AnswerSheet {
  const send = (status: number, body: object, headers: Record<string, string> = {}) => {
    // The record is in the file before the client has the answer.
    flushRecords();
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  return {
    created: (resource) => send(201, resource),
    error: ({ status, code, message, retryAfterSeconds }: ApiError) =>
      send(
        status,
        { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
      ),
    hangUp: () => {
      if (response.writableEnded && !response.writableFinished) response.once('finish', () => response.socket?.end());
      else response.socket?.destroy();
    },
  };
}

function accountOf(header: string | undefined): Account | undefined {
  const [, encoded] = /^basic (.+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const credentials = Buffer.from(encoded, 'base64').toString();
  const colon = credentials.indexOf(':');
  const authToken = credentials.slice(colon + 1);
  return colon < 1 || authToken === '' ? undefined : { sid: credentials.slice(0, colon), authToken };
}
