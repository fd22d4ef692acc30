import { createServer, type Server } from 'node:net';
import { pino } from 'pino';
import { CarrierRules } from './carrier-rules.js';
import { type Counters, zeroCounters } from './counters.js';
import { HandsetDesk } from './handset-desk.js';
import type { HandsetMessage } from './handset-messages.js';
import { CallbackDesk } from './http-api/callback-desk.js';
import { type Account, MessageIntake } from './http-api/message-intake.js';
import { startHttpApi } from './http-api/start-http-api.js';
import { Intake } from './intake.js';
import { listen } from './listen.js';
import { MessageIds } from './message-ids.js';
import { type Behaviour, DEFAULT_BEHAVIOUR, type SimulatorOptions } from './options.js';
import { Status } from './pdu-fields.js';
import { seededRandom } from './random.js';
import type { BindRequest } from './read-bind.js';
import { ReceiptDesk } from './receipt-desk.js';
import { RecordFile } from './record-file.js';
import { Records } from './records.js';
import { type BindMode, Session } from './session.js';
import { Timers } from './timers.js';

const CONNECTIONS_MAX = 1_000;
const KEEP_ALIVE_MS = 30_000;
const UNBIND_TIMEOUT_MS = 500;
const SYSTEM_ID_OCTETS_MAX = 15;
const PASSWORD_OCTETS_MAX = 8;

/** A listening simulator. */
export interface RunningSimulator {
  readonly port: number;
  /** The port of the HTTP message API; undefined if there is none. */
  readonly httpPort: number | undefined;
  readonly host: string;
  readonly records: Records;
  readonly counters: Readonly<Counters>;
  /** The connections that are bound now. */
  readonly binds: readonly { readonly id: number; readonly systemId: string; readonly mode: BindMode }[];
  /** Receipts and callbacks that the client has not acknowledged yet, also those that are not due yet. */
  readonly pendingReceipts: number;
  /** Parts of messages of handsets that the client has not acknowledged yet. */
  readonly pendingInbound: number;
  /**
   * A handset sends a message to the client: by its binds, or (`http`) to the inbound address of the client of the HTTP
   * message API that sent last.
   *
   * @throws Error when no client of the HTTP message API has asked for callbacks yet
   */
  sendInbound(
    message: Omit<HandsetMessage, 'systemId'> & { readonly systemId?: string; readonly http?: boolean },
  ): void;
  /** Changes the behaviour from the next PDU on. */
  setBehaviour(change: Partial<Behaviour>): void;
  readonly behaviour: Behaviour;
  /** Drops every connection as a crash of the carrier would. */
  disconnectAll(): void;
  /** While true, binds are answered ESME_RBINDFAIL, and HTTP requests 401. */
  refuseBinds(refuse: boolean): void;
  /** Stops listening, unbinds, and closes; waits at most half a second for the clients. */
  close(): Promise<void>;
}

/**
 * Starts a simulated SMSC on a TCP port.
 *
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  let behaviour: Behaviour = { ...DEFAULT_BEHAVIOUR, ...behaviourIn(options) };
  let areBindsRefused = false;
  let lastSessionId = 0;
  const current = () => behaviour;
  const sessions = new Set<Session>();
  const counters = zeroCounters();
  const timers = new Timers();
  const file = options.logFile === undefined ? undefined : new RecordFile(options.logFile);
  const records = new Records(options.keepRecords ?? true, file);
  const desk = new ReceiptDesk(current, timers, records, counters);
  const handsets = new HandsetDesk(current, timers, records, counters);
  const rules = new CarrierRules(seededRandom(options.seed ?? 1));
  const callbacks = new CallbackDesk(current, timers, records, counters);
  const dependencies = {
    intake: new Intake(current, rules, new MessageIds(), desk, timers, records, counters, handsets),
    desk,
    handsets,
    records,
    timers,
    counters,
    logger: options.logger ?? pino({ level: 'silent' }),
    admit: (request: BindRequest) => (areBindsRefused ? Status.ESME_RBINDFAIL : statusOfLogin(request, options)),
    flushRecords: () => file?.flush(),
    forget: (session: Session) => sessions.delete(session),
  };

  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) => {
    sessions.add(new Session(++lastSessionId, socket, dependencies));
  });
  server.maxConnections = CONNECTIONS_MAX;
  const host = options.host ?? '127.0.0.1';
  const startApi = async () => {
    if (options.httpPort === undefined) return undefined;
    const pending = () => desk.pending + callbacks.pending;
    const intake = new MessageIntake(current, rules, callbacks, pending, timers, records, counters);
    const admit = (account: Account) => !areBindsRefused && isLoginOf(account, options);
    return startHttpApi({ port: options.httpPort, host }, { intake, admit, flushRecords: () => file?.flush() });
  };
  let port: number;
  let api: Awaited<ReturnType<typeof startApi>>;
  try {
    port = await listen(server, options.port ?? 0, host);
    api = await startApi();
  } catch (error) {
    server.close();
    desk.close();
    handsets.close();
    file?.close();
    throw error;
  }
  // A lack of file descriptors for one more connection must not end the others.
  server.on('error', (error) => dependencies.logger.warn({ reason: error.message }, 'server error'));

  return {
    port,
    httpPort: api?.port,
    host,
    records,
    counters,
    get binds() {
      return [...sessions].flatMap(({ id, systemId, mode }) => (mode === undefined ? [] : [{ id, systemId, mode }]));
    },
    get pendingReceipts() {
      return desk.pending + callbacks.pending;
    },
    get behaviour() {
      return behaviour;
    },
    get pendingInbound() {
      return handsets.pending + callbacks.pendingInbound;
    },
    sendInbound: ({ http = false, systemId, ...message }) => {
      if (http) callbacks.sendInbound(message);
      else handsets.send({ ...message, systemId });
    },
    setBehaviour: (change) => {
      behaviour = { ...behaviour, ...change };
    },
    disconnectAll: () => {
      for (const session of sessions) session.drop();
      api?.disconnectAll();
    },
    refuseBinds: (refuse) => {
      areBindsRefused = refuse;
    },
    close: async () => {
      await Promise.all([closeServer(server, sessions), api?.close()]);
      timers.close();
      desk.close();
      handsets.close();
      callbacks.close();
      file?.close();
    },
  };
}

function behaviourIn(options: SimulatorOptions): Partial<Behaviour> {
  const names = Object.keys(DEFAULT_BEHAVIOUR);
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

function statusOfLogin({ systemId, password }: BindRequest, options: SimulatorOptions): number {
  const isKnown = options.systemId === undefined || options.systemId === systemId;
  if (!isKnown || systemId.length > SYSTEM_ID_OCTETS_MAX) return Status.ESME_RINVSYSID;
  const isRight = options.password === undefined || options.password === password;
  return isRight && password.length <= PASSWORD_OCTETS_MAX ? Status.ESME_ROK : Status.ESME_RINVPASWD;
}

function isLoginOf({ sid, authToken }: Account, { systemId, password }: SimulatorOptions): boolean {
  return (systemId === undefined || systemId === sid) && (password === undefined || password === authToken);
}

async function closeServer(server: Server, sessions: ReadonlySet<Session>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const session of sessions) {
    if (session.mode === undefined) session.drop();
    else session.requestUnbind();
  }
  const timer = setTimeout(() => {
    for (const session of sessions) session.drop();
  }, UNBIND_TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
}
