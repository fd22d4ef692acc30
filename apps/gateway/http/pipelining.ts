import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { closeLingering } from './unread-bodies.js';

/** Requests of a connection that may wait for the answer to one before them. */
export const PIPELINED_MAX = 100;

/** By connection. */
const waiting = new WeakMap<Socket, number>();
/** Connections that end with an answer which was promised already. */
const ending = new WeakSet<Socket>();
/** The answer to the last request that came before its turn, by connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/**
 * Bounds what a client asks for before it has its answers, and begins a request when the one before it is answered (RFC
 * 9112 section 9.3.2). Node begins every request that has come, so 12 MB of small ones kept a gateway busy for minutes,
 * even after their clients had left. And what was begun behind an answer that ends the connection is never answered.
 */
export function boundPipelining(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (isPipelinedTooFar(reply)) reply.hijack();
    else inTurn(reply, done);
  });
}

function inTurn(reply: FastifyReply, begin: () => void): void {
  const { raw, request } = reply;
  const { socket } = request.raw;
  const beginIfOpen = () => (socket.writableEnded || socket.destroyed ? reply.hijack() : begin());
  // Node gives the socket to the response whose turn it is.
  if (raw.socket !== null) return void beginIfOpen();
  const last = latest.get(socket);
  const before = last === undefined || last.closed ? responseInTurn(socket) : last;
  latest.set(socket, raw);
  if (before) before.once('close', beginIfOpen);
  else beginIfOpen();
}

/** The response whose turn it is on a connection. */
export function responseInTurn(socket: Socket): ServerResponse | null | undefined {
  // Node has no other name for it.
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
}

/**
 * Whether a request must not be begun, because the connection ends before its answer. The last request that may wait
 * is answered with `Connection: close`, so its client knows that those behind it have done nothing.
 */
export function isPipelinedTooFar(reply: FastifyReply): boolean {
  const { raw, request } = reply;
  if (raw.socket !== null) return false;
  const { socket } = request.raw;
  if (ending.has(socket)) return true;
  const count = (waiting.get(socket) ?? 0) + 1;
  waiting.set(socket, count);
  raw.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
  if (count === PIPELINED_MAX) {
    ending.add(socket);
    void reply.header('connection', 'close');
    socket.pause();
    socket.destroySoon = () => closeLingering(socket);
  }
  return false;
}
