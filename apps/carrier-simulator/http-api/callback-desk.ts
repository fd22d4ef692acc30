import { createHash, createHmac } from 'node:crypto';
import type { Counters } from '../counters.js';
import type { Behaviour } from '../options.js';
import type { MessageState } from '../pdu-fields.js';
import type { InboundRecord, ReceiptRecord, Records } from '../records.js';
import type { Timers } from '../timers.js';
import type { PlannedReceipt } from '../treatment.js';

/** What a callback is about. */
export interface CallbackSubject {
  readonly messageSid: string;
  readonly accountSid: string;
  readonly authToken: string;
  readonly to: string;
  readonly from: string;
  readonly url: URL;
  readonly sequence: number;
  readonly userMessageReference: number | undefined;
}

interface Callback {
  readonly subject: CallbackSubject;
  /** It is about a message from a handset, not about what became of one. */
  readonly inbound?: InboundRecord;
  readonly state: MessageState;
  readonly content: PlannedReceipt['content'];
  tries: number;
}

const ANSWER_TIMEOUT_MS = 15_000;
const UNDER_WAY_MAX = 50;

/** The statuses of this API, with an error code if the message did not arrive. */
const STATUSES: Readonly<Record<MessageState, readonly [status: string, errorCode?: string]>> = {
  ENROUTE: ['sent'],
  ACCEPTD: ['sent'],
  DELIVRD: ['delivered'],
  UNDELIV: ['undelivered', '30003'],
  EXPIRED: ['undelivered', '30036'],
  REJECTD: ['failed', '30007'],
  DELETED: ['canceled'],
  UNKNOWN: ['undelivered', '30008'],
};

/** Posts signed status callbacks until they are answered with 2xx or their tries are used up. */
export class CallbackDesk {
  private readonly waiting: Callback[] = [];
  /** Of the client that asked for callbacks last. */
  private last: CallbackSubject | undefined;
  private inboundCount = 0;
  private inboundMessages = 0;
  private underWay = 0;
  private pendingCount = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly behaviour: () => Behaviour,
    private readonly timers: Timers,
    private readonly records: Records,
    private readonly counters: Counters,
  ) {}

  /** Messages of handsets without a 2xx answer so far. */
  get pendingInbound(): number {
    return this.inboundCount;
  }

  /** Callbacks without a 2xx answer so far, also those that are not due yet. */
  get pending(): number {
    return this.pendingCount;
  }

  /** A client has asked for callbacks. */
  heardOf(subject: CallbackSubject): void {
    this.last = subject;
  }

  /**
   * Posts a message of a handset to the inbound address, beside the status address, until it is answered with 2xx.
   *
   * @throws Error when no client has asked for callbacks yet
   */
  sendInbound(message: { readonly from: string; readonly to: string; readonly text: string }, delayMs = 0): void {
    if (this.last === undefined) throw new Error('no client of the HTTP message API has asked for callbacks yet');
    const number = ++this.inboundMessages;
    const subject = {
      ...this.last,
      messageSid: `SM${createHash('md5').update(`${process.pid} ${number} ${Date.now()}`).digest('hex')}`,
    };
    const record = {
      kind: 'inbound',
      atMs: 0,
      bind: 0,
      sequence: number,
      number,
      ...message,
      part: 1,
      parts: 1,
    } as const;
    this.inboundCount++;
    this.later(
      { subject, inbound: { ...record, attempt: 0 }, state: 'DELIVRD', content: 'receipt', tries: 0 },
      delayMs,
    );
  }

  schedule(subject: CallbackSubject, planned: Pick<PlannedReceipt, 'state' | 'content'>, delayMs: number): void {
    this.pendingCount++;
    this.later({ subject, state: planned.state, content: planned.content, tries: 0 }, delayMs);
  }

  close(): void {
    this.waiting.length = 0;
    this.closing.abort();
  }

  private later(callback: Callback, delayMs: number): void {
    this.timers.after(delayMs, () => {
      this.waiting.push(callback);
      this.pump();
    });
  }

  private pump(): void {
    while (this.underWay < UNDER_WAY_MAX) {
      const callback = this.waiting.shift();
      if (callback === undefined) return;
      this.underWay++;
      void this.attempt(callback).finally(() => {
        this.underWay--;
        this.pump();
      });
    }
  }

  private async attempt(callback: Callback): Promise<void> {
    callback.tries++;
    if (callback.inbound !== undefined) {
      await this.attemptInbound(callback, callback.inbound);
      return;
    }
    this.counters.receiptsSent++;
    const record = this.records.isOn ? this.record(callback) : undefined;
    const status = await this.post(callback);
    if (this.closing.signal.aborted) return;
    if (record !== undefined && status !== undefined) this.records.acknowledge(record, 0, status);
    if (status !== undefined && status >= 200 && status < 300) {
      this.pendingCount--;
      this.counters.receiptsAcknowledged++;
    } else if (callback.tries < this.behaviour().receiptTriesMax) {
      this.later(callback, this.behaviour().receiptRetryMs);
    } else {
      this.pendingCount--;
      this.counters.receiptsDropped++;
    }
  }

  private async attemptInbound(callback: Callback, inbound: InboundRecord): Promise<void> {
    this.counters.inboundSent++;
    if (this.records.isOn) this.records.add({ ...inbound, atMs: Date.now(), attempt: callback.tries });
    const status = await this.post(callback);
    if (this.closing.signal.aborted) return;
    const bind = { id: 0, systemId: callback.subject.accountSid };
    if (status !== undefined) this.records.acknowledgeInbound(inbound, bind, inbound.sequence, status);
    if (status === undefined || status < 200 || status >= 300) {
      this.later(callback, this.behaviour().receiptRetryMs);
      return;
    }
    this.inboundCount--;
    this.counters.inboundAcknowledged++;
  }

  /** @returns the status of the answer; undefined when none came */
  private async post({ subject, inbound, state, content }: Callback): Promise<number | undefined> {
    const url = new URL(subject.url);
    url.hash = '';
    if (inbound !== undefined) {
      url.search = '';
      url.pathname = url.pathname.replace(/status$/, 'inbound');
    }
    // A callback for a foreign id must not match by reference either.
    if (content === 'unknown-id') url.search = '';
    const form = inbound === undefined ? this.statusForm(subject, state, content) : inboundForm(subject, inbound);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': signatureOf(url.href, form, subject.authToken),
        },
        body: form.toString(),
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT_MS), this.closing.signal]),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return undefined;
    }
  }

  private statusForm(subject: CallbackSubject, state: MessageState, content: Callback['content']): URLSearchParams {
    if (content === 'garbage') return new URLSearchParams({ nothing: 'known' });
    const [status, errorCode] = STATUSES[state];
    const sid = content === 'unknown-id' ? `SM${'0'.repeat(32)}` : subject.messageSid;
    return new URLSearchParams({
      SmsSid: sid,
      SmsStatus: status,
      MessageStatus: status,
      To: subject.to,
      MessageSid: sid,
      AccountSid: subject.accountSid,
      From: subject.from,
      ApiVersion: '2010-04-01',
      ...(errorCode !== undefined && { ErrorCode: errorCode }),
    });
  }

  private record({ subject, state, content, tries }: Callback): ReceiptRecord {
    const record: ReceiptRecord = {
      kind: 'receipt',
      atMs: Date.now(),
      bind: 0,
      systemId: subject.accountSid,
      sequence: subject.sequence,
      messageId: subject.messageSid,
      receiptId: content === 'receipt' ? subject.messageSid : '',
      aboutId: subject.messageSid,
      destination: subject.to.slice(1),
      state,
      text: STATUSES[state].join('/'),
      userMessageReference: content === 'unknown-id' ? undefined : subject.userMessageReference,
      attempt: tries,
      acknowledgedStatus: undefined,
    };
    this.records.add(record);
    return record;
  }
}

/** What the provider posts of a message that a handset sent. */
function inboundForm({ messageSid, accountSid }: CallbackSubject, { from, to, text }: InboundRecord): URLSearchParams {
  return new URLSearchParams({
    ToCountry: '',
    SmsMessageSid: messageSid,
    NumMedia: '0',
    SmsSid: messageSid,
    SmsStatus: 'received',
    Body: text,
    To: to,
    NumSegments: '1',
    MessageSid: messageSid,
    AccountSid: accountSid,
    From: from,
    ApiVersion: '2010-04-01',
  });
}

/** base64 of HMAC-SHA1 with the auth token over the URL and the sorted parameters, each name followed by its value. */
function signatureOf(url: string, form: URLSearchParams, authToken: string): string {
  const fields = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = fields.reduce((text, [name, value]) => text + name + value, url);
  return createHmac('sha1', authToken).update(signed).digest('base64');
}
