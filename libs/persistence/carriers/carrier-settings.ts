/** How a carrier is reached: SMPP 3.4, or an HTTP API. */
export type CarrierProtocol = 'smpp' | 'http';

/** Ids of submit responses and of receipts: written alike, or in hexadecimal and decimal, or the other way round. */
export const MESSAGE_ID_FORMATS = ['as-is', 'hex-dec', 'dec-hex'] as const;

/** How a carrier is reached and how it behaves; the adapter is made from this. */
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
  /** Submits that may wait for their response at a time. */
  readonly windowSize: number;
  /** Undefined: as fast as the window allows. */
  readonly submitsPerSecond: number | undefined;
  /** How ids in receipts differ from those in submit responses. */
  readonly messageIdFormat: (typeof MESSAGE_ID_FORMATS)[number];
  /** What `data_coding` 0 means to the carrier. */
  readonly defaultAlphabet: 'gsm0338' | 'latin1';
  /** What becomes of a segment in doubt when no receipt came: sent again, or left as unknown. */
  readonly inDoubtPolicy: 'resend' | 'hold';
  /** Binds of all workers together; undefined: each worker has one. */
  readonly bindCount: number | undefined;
  /** What only the protocol's adapter reads, checked by it before it comes here. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Left out: SMPP, a bind for each worker, no options, a real carrier that is not paused. */
export type NewCarrier = Omit<CarrierSettings, 'protocol' | 'bindCount' | 'options'> &
  Partial<Pick<CarrierSettings, 'protocol' | 'bindCount' | 'options'>> &
  Partial<Pick<StoredCarrier, 'paused' | 'simulator'>>;

/** A carrier as the database has it. `openCarrier` decrypts its secrets: the password, and the options of SECRET_OPTIONS. */
export interface StoredCarrier extends Omit<CarrierSettings, 'password'> {
  readonly carrierId: number;
  readonly password: StoredSecret;
  readonly paused: boolean;
  /** It answers like a carrier and reaches nobody. Beside a real carrier it takes messages of routes that name it, and no others. */
  readonly simulator: boolean;
  readonly createdAt: Date;
}

/** A secret as the database has it, encrypted or in clear. An object, so that nobody takes it for the secret itself. */
export interface StoredSecret {
  readonly stored: string;
}
