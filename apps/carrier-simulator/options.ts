import type { Logger } from 'pino';
import type { MessageIdForm, ReceiptIdForm } from './message-ids.js';
import type { DefaultAlphabet } from './text-decoding.js';

export const RECEIPT_POLICIES = ['on', 'off', 'always'] as const;
/** `on`: as registered_delivery asks; `off`: none; `always`: one for every message taken. */
export type ReceiptPolicy = (typeof RECEIPT_POLICIES)[number];
export const RECEIPT_FORMATS = ['text', 'tlv', 'both'] as const;
export type ReceiptFormat = (typeof RECEIPT_FORMATS)[number];

/** The behaviour of the simulated carrier; all of it may change while it runs. */
export interface Behaviour {
  /** Wait before each submit_sm_resp. */
  readonly latencyMs: number;
  /** The most of a random extra wait before each. */
  readonly latencySpreadMs: number;
  /** Wait between the response and its receipt. */
  readonly receiptDelayMs: number;
  /** submit_sm that are taken in one second over all binds; the others get ESME_RTHROTTLED. 0: no limit. */
  readonly submitsPerSecond: number;
  /** submit_sm that one bind may have unanswered; the others get ESME_RTHROTTLED. */
  readonly windowSize: number;
  readonly receipts: ReceiptPolicy;
  readonly messageIdForm: MessageIdForm;
  readonly receiptIdForm: ReceiptIdForm;
  readonly receiptFormat: ReceiptFormat;
  /** Whether receipts carry the user_message_reference of their submit_sm. */
  readonly echoUserMessageReference: boolean;
  /** deliver_sm that one bind may have unacknowledged. */
  readonly receiptWindowSize: number;
  /** How often a receipt is sent to a live bind that does not acknowledge it with ESME_ROK. */
  readonly receiptTriesMax: number;
  /** Wait for an acknowledgement, and after a negative one, before the next try. */
  readonly receiptRetryMs: number;
  /** Whether destinations that end in 999000NN get their special treatment. */
  readonly magicNumbers: boolean;
  /** What data_coding 0 means in the log. */
  readonly defaultAlphabet: DefaultAlphabet;
  /** Shares of the submit_sm, 0 to 1, that meet each fault by chance. */
  readonly refuseRate: number;
  readonly throttleRate: number;
  readonly errorRate: number;
  readonly noResponseRate: number;
  /** Like noResponseRate, but all of them are taken, and their receipts follow. */
  readonly lostResponseRate: number;
  readonly disconnectRate: number;
  /** Share of the receipts, 0 to 1, that say UNDELIV. */
  readonly failRate: number;
  /** Whether ordinary numbers get the mix of receipt-mix.ts instead of one receipt each. */
  readonly receiptMix: boolean;
  /** How late the late receipts of the mix are. */
  readonly lateReceiptMs: number;
  /** What each handset answers to a message; empty: nothing. */
  readonly reply: string;
}

export const WINDOW_SIZE_MAX = 10_000;

export const DEFAULT_BEHAVIOUR: Behaviour = {
  latencyMs: 0,
  latencySpreadMs: 0,
  receiptDelayMs: 50,
  submitsPerSecond: 0,
  windowSize: WINDOW_SIZE_MAX,
  receipts: 'on',
  messageIdForm: 'decimal',
  receiptIdForm: 'same',
  receiptFormat: 'both',
  echoUserMessageReference: true,
  receiptWindowSize: 1_000,
  receiptTriesMax: 3,
  receiptRetryMs: 2_000,
  magicNumbers: true,
  defaultAlphabet: 'gsm0338',
  refuseRate: 0,
  throttleRate: 0,
  errorRate: 0,
  noResponseRate: 0,
  lostResponseRate: 0,
  disconnectRate: 0,
  failRate: 0,
  receiptMix: false,
  lateReceiptMs: 3_600_000,
  reply: '',
};

export interface SimulatorOptions extends Partial<Behaviour> {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Port of the HTTP message API; 0 takes a free one; unset: there is none. */
  readonly httpPort?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** The only system_id that may bind; unset: any may. */
  readonly systemId?: string | undefined;
  /** The only password that may bind; unset: any may. */
  readonly password?: string | undefined;
  /** Start of the random faults; the same seed and the same submits meet the same faults. Default 1. */
  readonly seed?: number;
  /** Keeps records in memory; default true. */
  readonly keepRecords?: boolean;
  /** Appends every record to this file as a JSON line, before the response is written. */
  readonly logFile?: string | undefined;
  readonly logger?: Logger;
}
