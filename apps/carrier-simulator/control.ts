import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Behaviour, DEFAULT_BEHAVIOUR } from './options.js';
import type { RunningSimulator } from './simulator.js';

const BODY_OCTETS_MAX = 100_000;
const REQUEST_TIMEOUT_MS = 5_000;

interface Change {
  /** Fields of the behaviour, from the next PDU on. */
  readonly behaviour?: Readonly<Record<string, unknown>>;
  /** While true, binds are answered ESME_RBINDFAIL. */
  readonly refusesBinds?: boolean;
  /** Drops every connection now. */
  readonly disconnects?: boolean;
  /** Messages that handsets send now. */
  readonly inbound?: readonly InboundWish[];
}

/** `http`: to the inbound address of the client of the HTTP message API. */
interface InboundWish {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly systemId?: string;
  readonly http?: boolean;
}

/**
 * Lets another process change the simulator's behaviour: GET returns its state, POST takes a change. It listens on
 * loopback only, and only on request.
 *
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function openControl(simulator: RunningSimulator, port: number): Promise<Server> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(body)}\n`);
    };
    if (request.method !== 'POST') {
      answer(200, stateOf(simulator));
      return;
    }
    bodyOf(request).then(
      (body) => {
        try {
          apply(simulator, JSON.parse(body) as Change);
          answer(200, stateOf(simulator));
        } catch (error) {
          answer(400, { error: error instanceof Error ? error.message : String(error) });
        }
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

function stateOf({ behaviour, counters, pendingReceipts, pendingInbound, binds }: RunningSimulator): object {
  return { behaviour, counters, pendingReceipts, pendingInbound, binds };
}

/** @throws Error naming the first field that is unknown or of the wrong type; nothing is changed then */
function apply(simulator: RunningSimulator, change: Change): void {
  const { behaviour = {}, refusesBinds, disconnects, inbound = [], ...unknown } = change;
  for (const name of Object.keys(unknown)) throw new Error(`there is no field ${name}`);
  for (const [name, value] of Object.entries({ refusesBinds, disconnects })) {
    if (value !== undefined && typeof value !== 'boolean') throw new Error(`${name} must be true or false`);
  }
  for (const [name, value] of Object.entries(behaviour)) {
    const usual: unknown = DEFAULT_BEHAVIOUR[name as keyof Behaviour];
    if (usual === undefined) throw new Error(`there is no behaviour ${name}`);
    const isRight = typeof value === typeof usual && (typeof value !== 'number' || value >= 0);
    if (!isRight) throw new Error(`${name} must be a ${typeof usual}, and not negative`);
  }
  if (!Array.isArray(inbound) || !inbound.every(isMessage)) {
    throw new Error('inbound must be a list of messages, each with from, to and text');
  }
  simulator.setBehaviour(behaviour as Partial<Behaviour>);
  if (refusesBinds !== undefined) simulator.refuseBinds(refusesBinds);
  for (const message of inbound) simulator.sendInbound(message);
  if (disconnects) simulator.disconnectAll();
}

function isMessage(wish: Partial<InboundWish> | null): boolean {
  return [wish?.from, wish?.to, wish?.text].every((field) => typeof field === 'string' && field !== '');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > BODY_OCTETS_MAX) throw new Error('too long');
  }
  return text;
}
