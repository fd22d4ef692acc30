import {
  type CarrierError,
  type CarrierState,
  carrierState,
  type Database,
  liveProcesses,
  type StoredCarrier,
  type workerBinds,
} from '#persistence';

/** A carrier with its settings and its state, without its secrets. */
export interface CarrierAnswer extends Omit<CarrierState, 'waitingJobs' | 'lastError'> {
  readonly name: string;
  readonly protocol: StoredCarrier['protocol'];
  /** Jobs on its own queue; null: the workers do not tell. */
  readonly waitingJobs: number | null;
  readonly lastError: CarrierError | null;
  readonly paused: boolean;
  readonly simulator: boolean;
  readonly address: string;
  readonly window: number;
  readonly tps: number | null;
  readonly binds: number | null;
  readonly messageId: StoredCarrier['messageIdFormat'];
  readonly alphabet: StoredCarrier['defaultAlphabet'];
  readonly inDoubt: StoredCarrier['inDoubtPolicy'];
  readonly options: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** The same, and which worker has which bind. */
export interface CarrierDetails extends CarrierAnswer {
  readonly workerBinds: ReturnType<typeof workerBinds>;
  readonly routes: readonly string[];
}

/** A carrier after a change. */
export interface CarrierChanged extends CarrierAnswer {
  /** What the change means for messages, a sentence each. */
  readonly notes: readonly string[];
  /** Unmatched receipts that name a message by the new setting; undefined: they were not read again. */
  readonly rereadReceipts?: number | undefined;
}

export async function carrierAnswer(database: Database, carrier: StoredCarrier): Promise<CarrierAnswer> {
  return carrierAnswerOf(carrier, carrierState(carrier, await liveProcesses(database, 'worker')));
}

export function carrierAnswerOf(carrier: StoredCarrier, state: CarrierState): CarrierAnswer {
  return {
    name: carrier.name,
    protocol: carrier.protocol,
    ...state,
    waitingJobs: state.waitingJobs ?? null,
    lastError: state.lastError ?? null,
    paused: carrier.paused,
    simulator: carrier.simulator,
    address: addressOf(carrier),
    window: carrier.windowSize,
    tps: carrier.submitsPerSecond ?? null,
    binds: carrier.bindCount ?? null,
    messageId: carrier.messageIdFormat,
    alphabet: carrier.defaultAlphabet,
    inDoubt: carrier.inDoubtPolicy,
    options: Object.fromEntries(Object.keys(carrier.options).map((name) => [name, shownOption(carrier, name)])),
    createdAt: carrier.createdAt,
  };
}

/** A carrier's URL without its password. */
function addressOf({ protocol, tls, systemId, host, port, options }: StoredCarrier): string {
  const scheme = `${protocol}${tls ? 's' : ''}`;
  const path = protocol === 'http' && typeof options.pathPrefix === 'string' ? options.pathPrefix : '';
  return `${scheme}://${encodeURIComponent(systemId)}@${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}

/** For an option with a key or a secret, shows only that it is set. */
function shownOption({ options }: StoredCarrier, name: string): string {
  if (/key|secret|password|token/i.test(name)) return '(set)';
  const value = options[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
