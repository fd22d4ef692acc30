import { exportFile, exportRows } from './exports.js';
import type { CallOptions } from './options.js';
import { type Pages, pagesOf } from './pages.js';
import type { Transport } from './transport.js';
import type {
  AccountGuardsShown,
  AccountRetentionShown,
  AccountSummary,
  Balance,
  BalanceAlert,
  Deposit,
  DepositList,
  DepositsData,
  ExportDepositsData,
  ExportLedgerData,
  ExportStatementData,
  LedgerData,
  LedgerEntry,
  LedgerList,
  NumberRedacted,
  RedactionRequest,
  RetentionRequest,
  Statement,
  StatementMonths,
  SuppressionAdded,
  SuppressionList,
  SuppressionRemoved,
  SuppressionRequest,
  SuppressionsData,
  Usage,
  UsageData,
} from './types.gen.js';

const PATH = '/v1/account';

/** What the account has and has used. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The figures of the account, all of one moment. */
  summary(options?: CallOptions): Promise<AccountSummary> {
    return this.#transport.get(PATH, options);
  }

  /** What remains to be spent. */
  balance(options?: CallOptions): Promise<Balance> {
    return this.#get('balance', options);
  }

  /** What test keys have to spend from now on, e.g. '25.50'; only a test key may set it. */
  setTestBalance(balance: string, options?: CallOptions): Promise<Balance> {
    return this.#post('test-balance', { balance }, options);
  }

  /** Below which balance webhooks are told by `balance.low`; a threshold of null: they are not. */
  balanceAlert(options?: CallOptions): Promise<BalanceAlert> {
    return this.#get('balance-alert', options);
  }

  /** Sets this balance, e.g. '10.00'; null: they are not told. */
  setBalanceAlert(threshold: string | null, options?: CallOptions): Promise<BalanceAlert> {
    return this.#post('balance-alert', { threshold }, options);
  }

  /** The numbers to which the account sends nothing, as hashes; with `recipient` only the entry of this number. */
  suppressions(query?: SuppressionsData['query'], options?: CallOptions): Promise<SuppressionList> {
    return this.#get('suppressions', options, query);
  }

  /** Refuses every later send to a number, and cancels what waits for it. */
  suppress(body: SuppressionRequest, options?: CallOptions): Promise<SuppressionAdded> {
    return this.#post('suppressions', body, options);
  }

  /** Lets the account send to a number again. */
  unsuppress(recipient: string, options?: CallOptions): Promise<SuppressionRemoved> {
    const path = `${PATH}/suppressions/${encodeURIComponent(recipient)}`;
    return this.#transport.json({ method: 'DELETE', path }, options);
  }

  /** The guards that the operator has set. */
  guards(options?: CallOptions): Promise<AccountGuardsShown> {
    return this.#get('guards', options);
  }

  /** After how many days texts and numbers are removed. */
  retention(options?: CallOptions): Promise<AccountRetentionShown> {
    return this.#get('retention', options);
  }

  /** Sets it; the operator's days hold if they are fewer. */
  setRetention(body: RetentionRequest, options?: CallOptions): Promise<AccountRetentionShown> {
    return this.#post('retention', body, options);
  }

  /** Removes a number and its texts from all messages until now. It cannot be undone. */
  redactNumber(body: RedactionRequest, options?: CallOptions): Promise<NumberRedacted> {
    return this.#post('redactions', body, options);
  }

  /** What was sent, by day, destination and status. */
  usage(query?: UsageData['query'], options?: CallOptions): Promise<Usage> {
    return this.#get('usage', options, query);
  }

  /** The months that have a statement, newest first. */
  statements(options?: CallOptions): Promise<StatementMonths> {
    return this.#get('statements', options);
  }

  /** The statement of a month in UTC, e.g. '2026-10'. */
  statement(month: string, options?: CallOptions): Promise<Statement> {
    return this.#get(`statements/${encodeURIComponent(month)}`, options);
  }

  /** The same as a file: CSV, or with `format: 'html'` a page to print. */
  exportStatement(
    month: string,
    query?: ExportStatementData['query'],
    options?: CallOptions,
  ): AsyncIterable<Uint8Array> {
    return exportFile(this.#transport, `${PATH}/statements/${encodeURIComponent(month)}/export`, query, options);
  }

  #get<Answer>(
    what: string,
    options?: CallOptions,
    query?: UsageData['query'] | SuppressionsData['query'],
  ): Promise<Answer> {
    return this.#transport.get(`${PATH}/${what}`, options, query);
  }

  #post<Answer>(what: string, body: object, options?: CallOptions): Promise<Answer> {
    return this.#transport.post(`${PATH}/${what}`, body, options);
  }
}

/** The money that came in. */
export class Deposits {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Deposits and corrections, newest first. */
  list(query?: DepositsData['query'], options?: CallOptions): Pages<DepositList> {
    return pagesOf(this.#transport, `${PATH}/deposits`, query, options);
  }

  /** All of them as a file: CSV unless `format` says otherwise. */
  export(query?: ExportDepositsData['query'], options?: CallOptions): AsyncIterable<Uint8Array> {
    return exportFile(this.#transport, `${PATH}/deposits/export`, query, options);
  }

  /** The same one by one: one request for all of them. */
  exportRows(options?: CallOptions): AsyncIterable<Deposit> {
    return exportRows(this.#transport, `${PATH}/deposits/export`, undefined, options);
  }
}

/** Every movement of money. */
export class Ledger {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Entries, newest first. */
  list(query?: LedgerData['query'], options?: CallOptions): Pages<LedgerList> {
    return pagesOf(this.#transport, `${PATH}/ledger`, query, options);
  }

  /** All of them as a file: CSV unless `format` says otherwise. */
  export(query?: ExportLedgerData['query'], options?: CallOptions): AsyncIterable<Uint8Array> {
    return exportFile(this.#transport, `${PATH}/ledger/export`, query, options);
  }

  /** The same one by one: one request for all of them. */
  exportRows(options?: CallOptions): AsyncIterable<LedgerEntry> {
    return exportRows(this.#transport, `${PATH}/ledger/export`, undefined, options);
  }
}
