import type { CarrierRules } from './carrier-rules.js';
import type { Counters } from './counters.js';
import type { HandsetDesk } from './handset-desk.js';
import { type MessageId, type MessageIds, oddFormOf, receiptIdOf } from './message-ids.js';
import type { Behaviour } from './options.js';
import type { MessageState } from './pdu-fields.js';
import { writeSubmitResponse } from './pdu-writing.js';
import { readSubmit, type Submit } from './read-submit.js';
import { EXCERPT_CHARACTERS, excerptOf } from './receipt.js';
import type { ReceiptDesk } from './receipt-desk.js';
import { truthOf } from './receipt-mix.js';
import type { Records } from './records.js';
import { concatenationOf, textOf } from './text-decoding.js';
import type { Timers } from './timers.js';
import type { PlannedReceipt, Treatment } from './treatment.js';

/** The bind that a submit_sm came by. */
export interface SubmittingBind {
  readonly id: number;
  readonly systemId: string;
  /** submit_sm without a response so far. */
  unanswered: number;
  write(pdu: Buffer): void;
  /** Sends the written data, then drops the connection. */
  hangUp(reason: string): void;
}

/** Takes submit_sm: decides, records, answers, and passes the receipts to the desk. */
export class Intake {
  constructor(
    private readonly behaviour: () => Behaviour,
    private readonly rules: CarrierRules,
    private readonly ids: MessageIds,
    private readonly desk: ReceiptDesk,
    private readonly timers: Timers,
    private readonly records: Records,
    private readonly counters: Counters,
    private readonly handsets: HandsetDesk,
  ) {}

  /** @throws PduError when the PDU cannot be read */
  take(bind: SubmittingBind, pdu: Buffer): void {
    const submit = readSubmit(pdu);
    const behaviour = this.behaviour();
    const load = { unansweredOnBind: bind.unanswered, pendingReceipts: this.desk.pending };
    const treatment = this.rules.treat(submit, behaviour, load);
    const id = treatment.isTaken ? this.ids.take(behaviour.messageIdForm) : undefined;
    this.counters.submits++;
    if (id !== undefined) this.counters.taken++;
    const wanted = wantedOf(treatment.receipts, submit, behaviour);
    if (this.records.isOn) this.record(bind, submit, treatment, wanted, id, behaviour);

    const latencyMs = behaviour.latencyMs + treatment.extraLatencyMs;
    this.answer(bind, submit, treatment, id, latencyMs);
    const firstMs = treatment.isReceiptFirst ? 0 : latencyMs + behaviour.receiptDelayMs;
    if (id === undefined) return;
    this.planReceipts(bind, submit, wanted, id, firstMs);
    const reply = treatment.reply ?? behaviour.reply;
    if (reply !== '') this.planReply(bind, submit, reply, firstMs);
  }

  /** A handset answers a message once, not each of its segments. */
  private planReply({ systemId }: SubmittingBind, submit: Submit, text: string, delayMs: number): void {
    if ((concatenationOf(submit)?.part ?? 1) !== 1) return;
    const { source, destination } = submit;
    this.timers.after(delayMs, () => {
      this.handsets.send({ from: destination.value, to: source.value, text, systemId });
    });
  }

  private answer(
    bind: SubmittingBind,
    submit: Submit,
    treatment: Treatment,
    id: MessageId | undefined,
    latencyMs: number,
  ): void {
    if (!treatment.isAnswered && treatment.disconnect === 'no') return;
    const messageId = treatment.hasMessageId ? (id?.text ?? '') : '';
    if (latencyMs === 0) {
      respond(bind, treatment, submit.sequence, messageId);
      return;
    }
    const { sequence } = submit;
    bind.unanswered++;
    this.timers.after(latencyMs, () => {
      bind.unanswered--;
      respond(bind, treatment, sequence, messageId);
    });
  }

  private planReceipts(
    bind: SubmittingBind,
    submit: Submit,
    receipts: readonly PlannedReceipt[],
    id: MessageId,
    firstMs: number,
  ): void {
    const behaviour = this.behaviour();
    for (const planned of receipts) {
      this.desk.schedule(this.receiptOf(bind, submit, planned, id, behaviour), firstMs + planned.extraDelayMs);
    }
  }

  private receiptOf(
    bind: SubmittingBind,
    submit: Submit,
    planned: PlannedReceipt,
    id: MessageId,
    behaviour: Behaviour,
  ) {
    const about = planned.content === 'unknown-id' ? this.ids.take(behaviour.messageIdForm) : id;
    const { receiptIdForm, messageIdForm } = behaviour;
    const form = planned.hasOddForm === true ? oddFormOf(receiptIdForm, messageIdForm) : receiptIdForm;
    const hasText = behaviour.receiptFormat !== 'tlv';
    return {
      systemId: bind.systemId,
      submittedBy: bind.id,
      messageId: id.text,
      aboutId: about.text,
      receiptId: receiptIdOf(about, form),
      sender: submit.source,
      handset: submit.destination,
      state: planned.state,
      isGarbage: planned.content === 'garbage',
      submittedAtMs: Date.now(),
      excerpt: hasText ? excerptOf(textOf(submit, behaviour.defaultAlphabet, EXCERPT_CHARACTERS)) : '',
      // A receipt for a foreign id must not match by reference either.
      userMessageReference: planned.content === 'unknown-id' ? undefined : submit.userMessageReference,
      failedTries: 0,
    };
  }

  private record(
    bind: SubmittingBind,
    submit: Submit,
    treatment: Treatment,
    receipts: readonly PlannedReceipt[],
    id: MessageId | undefined,
    behaviour: Behaviour,
  ): void {
    this.records.add({
      kind: 'submit',
      atMs: Date.now(),
      bind: bind.id,
      systemId: bind.systemId,
      sequence: submit.sequence,
      source: submit.source,
      destination: submit.destination,
      text: textOf(submit, behaviour.defaultAlphabet),
      octets: submit.userData.toString('hex'),
      concatenation: concatenationOf(submit),
      isPayload: submit.isPayload,
      dataCoding: submit.dataCoding,
      esmClass: submit.esmClass,
      registeredDelivery: submit.registeredDelivery,
      validityPeriod: submit.validityPeriod,
      userMessageReference: submit.userMessageReference,
      status: treatment.isAnswered ? treatment.status : undefined,
      isTaken: treatment.isTaken,
      messageId: id?.text,
      truth: id === undefined ? undefined : truthOf(receipts),
    });
  }
}

function respond(bind: SubmittingBind, treatment: Treatment, sequence: number, messageId: string): void {
  if (treatment.isAnswered) bind.write(writeSubmitResponse(treatment.status, sequence, messageId));
  if (treatment.disconnect !== 'no') bind.hangUp(`asked for: ${treatment.disconnect}`);
}

function wantedOf(planned: readonly PlannedReceipt[], submit: Submit, behaviour: Behaviour): readonly PlannedReceipt[] {
  const areAllWanted = planned.every(({ state }) => isWanted(state, submit, behaviour));
  return areAllWanted ? planned : planned.filter(({ state }) => isWanted(state, submit, behaviour));
}

/** registered_delivery, SMPP 3.4, 5.2.17: 1 asks for every outcome, 2 for failures. */
function isWanted(state: MessageState, submit: Submit, behaviour: Behaviour): boolean {
  if (behaviour.receipts !== 'on') return behaviour.receipts === 'always';
  const asked = submit.registeredDelivery & 0x03;
  const isFailure = state !== 'DELIVRD' && state !== 'ENROUTE' && state !== 'ACCEPTD';
  return asked === 1 || (asked === 2 && isFailure);
}
