import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as uuidV7 } from 'uuid';
import type { ErrorCode } from './error-catalogue.js';
import { responseInTurn } from './pipelining.js';
import { Problem } from './problem.js';

type ReadError = Error & { code?: string };
type Tell = (requestId: string, problem: Problem) => void;

/** Connections with an error: Node tells of it again for all that comes after it. */
const broken = new WeakSet<Socket>();

/**
 * Answers data that cannot be read as a request, and closes the connection, because nobody knows where the next request
 * begins. Whole requests that came before it are answered first: a send among them may be charged.
 *
 * @param tell is called with the answer
 */
export function answerClientError(error: ReadError, socket: Socket, tell: Tell): void {
  if (broken.has(socket)) return;
  broken.add(socket);
  answerInTurn(error, socket, tell);
}

function answerInTurn(error: ReadError, socket: Socket, tell: Tell): void {
  const response = responseInTurn(socket);
  if (response?.req.complete) response.once('close', () => answerInTurn(error, socket, tell));
  else answer(error, socket, tell);
}

function answer(error: ReadError, socket: Socket, tell: Tell): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const [code, detail] = faultOf(error.code);
    const requestId = uuidV7();
    const problem = new Problem(code, detail);
    const body = problem.json(requestId);
    tell(requestId, problem);
    socket.write(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n` +
        `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

function faultOf(code: string | undefined): [ErrorCode, string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['request_timeout', 'The request did not arrive in time.'];
  if (code === 'HPE_HEADER_OVERFLOW') return ['headers_too_large', 'The headers have more than 16 KiB.'];
  if (code === 'CONNECT') return ['malformed_request', 'CONNECT is for proxies, and this server is none.'];
  return ['malformed_request', 'The request is not valid HTTP.'];
}
