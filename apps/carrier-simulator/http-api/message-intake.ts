import { randomUUID } from 'node:crypto';
import type { CarrierRules } from '../carrier-rules.js';
import type { Counters } from '../counters.js';
import type { Behaviour } from '../options.js';
import { Status } from '../pdu-fields.js';
import type { Submit } from '../read-submit.js';
import type { Records } from '../records.js';
import type { Timers } from '../timers.js';
import type { Treatment } from '../treatment.js';
import { type ApiError, errorOfStatus } from './api-error.js';
import type { CallbackDesk } from './callback-desk.js';
import { asSubmit, type MessageRequest } from './read-message.js';

export interface Account {
  readonly sid: string;
  readonly authToken: string;
}

/** The ways to answer a request. */
export interface AnswerSheet {
  created(resource: object): void;
  error(error: ApiError): void;
  /** Sends the written data, then drops the connection. */
  hangUp(): void;
}

/** Takes messages: decides by the rules of the SMPP side, records, answers, and passes the callbacks to the desk. */
export class MessageIntake {
  private unanswered = 0;
  private sequence = 0;

  constructor(
    private readonly behaviour: () => Behaviour,
    private readonly rules: CarrierRules,
    private readonly desk: CallbackDesk,
    private readonly pendingReceipts: () => number,
    private readonly timers: Timers,
    private readonly records: Records,
    private readonly counters: Counters,
  ) {}

  take(account: Account, message: MessageRequest, answer: AnswerSheet): void {
    const behaviour = this.behaviour();
    const submit = asSubmit(message, ++this.sequence);
    const load = { unansweredOnBind: this.unanswered, pendingReceipts: this.pendingReceipts() };
    const treatment = this.rules.treat(submit, behaviour, load);
    const messageSid = treatment.isTaken ? `SM${randomUUID().replaceAll('-', '')}` : undefined;
    this.counters.submits++;
    if (messageSid !== undefined) this.counters.taken++;
    if (this.records.isOn) this.record(account, message, submit, treatment, messageSid);

    const latencyMs = behaviour.latencyMs + treatment.extraLatencyMs;
    this.unanswered++;
    this.timers.after(latencyMs, () => {
      this.unanswered--;
      this.respond(account, message, treatment, messageSid, answer);
    });
    if (messageSid !== undefined) this.planCallbacks(account, message, submit, treatment, messageSid, latencyMs);
  }

  private respond(
    account: Account,
    message: MessageRequest,
    treatment: Treatment,
    messageSid: string | undefined,
    answer: AnswerSheet,
  ): void {
    if (treatment.isAnswered) {
      if (treatment.status !== Status.ESME_ROK) answer.error(errorOfStatus(treatment.status));
      else answer.created(treatment.hasMessageId ? resourceOf(account, message, messageSid ?? '') : {});
    }
    if (treatment.disconnect !== 'no') answer.hangUp();
  }

  private planCallbacks(
    account: Account,
    message: MessageRequest,
    submit: Submit,
    treatment: Treatment,
    messageSid: string,
    latencyMs: number,
  ): void {
    const { receipts, receiptDelayMs } = this.behaviour();
    if (message.statusCallback === undefined || receipts === 'off') return;
    const subject = {
      messageSid,
      accountSid: account.sid,
      authToken: account.authToken,
      to: message.to,
      from: message.from ?? '',
      url: message.statusCallback,
      sequence: submit.sequence,
      userMessageReference: submit.userMessageReference,
    };
    this.desk.heardOf(subject);
    const reply = treatment.reply ?? this.behaviour().reply;
    if (reply !== '') {
      const answer = { from: message.to, to: message.from ?? '', text: reply };
      this.desk.sendInbound(answer, latencyMs + receiptDelayMs);
    }
    // This API reports every step; the last ones can overtake each other.
    if (treatment.receipts.length > 0 && !treatment.isReceiptFirst) {
      this.desk.schedule(subject, { state: 'ENROUTE', content: 'receipt' }, latencyMs);
    }
    const usualDelayMs = treatment.isReceiptFirst ? 0 : latencyMs + receiptDelayMs;
    for (const planned of treatment.receipts) this.desk.schedule(subject, planned, usualDelayMs + planned.extraDelayMs);
  }

  private record(
    account: Account,
    message: MessageRequest,
    submit: Submit,
    treatment: Treatment,
    messageSid: string | undefined,
  ): void {
    this.records.add({
      kind: 'submit',
      atMs: Date.now(),
      bind: 0,
      systemId: account.sid,
      sequence: submit.sequence,
      source: submit.source,
      destination: submit.destination,
      text: message.body,
      octets: Buffer.from(message.body).toString('hex'),
      concatenation: undefined,
      isPayload: true,
      dataCoding: submit.dataCoding,
      esmClass: submit.esmClass,
      registeredDelivery: submit.registeredDelivery,
      validityPeriod: message.validityPeriod,
      userMessageReference: submit.userMessageReference,
      status: treatment.isAnswered ? treatment.status : undefined,
      isTaken: treatment.isTaken,
      messageId: messageSid,
      // Only SMPP has the mix of bad receipts.
      truth: undefined,
    });
  }
}

function resourceOf(account: Account, message: MessageRequest, sid: string): object {
  const now = new Date().toUTCString().replace('GMT', '+0000');
  return {
    account_sid: account.sid,
    api_version: '2010-04-01',
    body: message.body,
    date_created: now,
    date_sent: null,
    date_updated: now,
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: message.from ?? null,
    messaging_service_sid: message.messagingServiceSid ?? null,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: null,
    sid,
    status: message.messagingServiceSid === undefined ? 'queued' : 'accepted',
    subresource_uris: { media: `/2010-04-01/Accounts/${account.sid}/Messages/${sid}/Media.json` },
    to: message.to,
    uri: `/2010-04-01/Accounts/${account.sid}/Messages/${sid}.json`,
  };
}
