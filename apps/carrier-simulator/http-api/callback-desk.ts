import { createHmac } from 'node:crypto';
import type { Counters } from '../counters.js';
import type { Behaviour } from '../options.js';
import type { MessageState } from '../pdu-fields.js';
import type { ReceiptRecord, Records } from '../records.js';
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
  private underWay = 0;
  private pendingCount = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly behaviour: () => Behaviour,
    private readonly timers: Timers,
    private readonly records: Records,
    private readonly counters: Counters,
  ) {}

  /** Callbacks without a 2xx answer so far, also those that are not due yet. */
  get pending(): number {
    return this.pendingCount;
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

  /** @returns the status of the answer; undefined when none came */
  private async post({ subject, state, content }: Callback): Promise<number | undefined> {
    const url = new URL(subject.url);
    url.hash = '';
    // A callback for a foreign id must not match by reference either.
    if (content === 'unknown-id') url.search = '';
    const form =
      content === 'garbage' ? new URLSearchParams({ nothing: 'known' }) : this.formOf(subject, state, content);
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

  private formOf(subject: CallbackSubject, state: MessageState, content: Callback['content']): URLSearchParams {
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

/** base64 of HMAC-SHA1 with the auth token over the URL and the sorted parameters, each name followed by its value. */
function signatureOf(url: string, form: URLSearchParams, authToken: string): string {
  const fields = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = fields.reduce((text, [name, value]) => text + name + value, url);
  return createHmac('sha1', authToken).update(signed).digest('base64');
}
