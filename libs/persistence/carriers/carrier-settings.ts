/** How a carrier is reached: SMPP 3.4, or an HTTP API. The sandbox lives in the worker. */
export type CarrierProtocol = 'smpp' | 'http' | 'sandbox';

/** Ids in submit responses and in receipts: written alike, or hexadecimal and decimal, or the other way round. */
export const MESSAGE_ID_FORMATS = ['as-is', 'hex-dec', 'dec-hex'] as const;

/** The settings of a carrier, from which the adapter is made. */
export interface CarrierSettings {
  readonly protocol: CarrierProtocol;
  /** `a-z`, `0-9` and dashes, at most 40. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** SMPP 3.4 section 4.1.1: at most 15 characters. */
  readonly systemId: string;
  /** At most 8 characters by SMPP 3.4 section 4.1.1; many carriers take more. */
  readonly password: string;
  readonly tls: boolean;
  /** The most submits of a bind that are unanswered. */
  readonly windowSize: number;
  /** Undefined: as fast as the window allows. */
  readonly submitsPerSecond: number | undefined;
  /** How ids in receipts differ from those in submit responses. */
  readonly messageIdFormat: (typeof MESSAGE_ID_FORMATS)[number];
  /** What `data_coding` 0 means to the carrier. */
  readonly defaultAlphabet: 'gsm0338' | 'latin1';
  /** What to do with a segment in doubt if no receipt came: send it again, or leave it as unknown. */
  readonly inDoubtPolicy: 'resend' | 'hold';
  /** Binds of all workers together; undefined: each worker has one. */
  readonly bindCount: number | undefined;
  /** Options that only the protocol's adapter reads; the adapter has checked them. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Defaults: SMPP, a bind for each worker, no options, a real carrier that is not paused. */
export type NewCarrier = Omit<CarrierSettings, 'protocol' | 'bindCount' | 'options'> &
  Partial<Pick<CarrierSettings, 'protocol' | 'bindCount' | 'options'>> &
  Partial<Pick<StoredCarrier, 'paused' | 'simulator'>>;

/** A stored carrier. `openCarrier` decrypts its secrets: the password, and the options of SECRET_OPTIONS. */
export interface StoredCarrier extends Omit<CarrierSettings, 'password'> {
  readonly carrierId: number;
  readonly password: StoredSecret;
  readonly paused: boolean;
  /**
   * It answers like a carrier and reaches nobody. Beside a real carrier it takes only messages of routes that name it.
   */
  readonly simulator: boolean;
  readonly createdAt: Date;
}

/** A stored secret, encrypted or in clear. It is an object, so that no code takes it for the secret itself. */
interface StoredSecret {
  readonly stored: string;
}
