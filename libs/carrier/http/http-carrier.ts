import {
  type BindState,
  Carrier,
  type CarrierDependencies,
  type OutboundSegment,
  type SubmitOutcome,
  type SubmitSlot,
  type WireFormat,
} from '../carrier.js';
import { SubmitRate } from '../smpp/submit-rate.js';
import { SubmitSlots } from '../smpp/submit-slots.js';
import { ApiClient, type Exchange } from './api-client.js';
import { classifyAnswer } from './classify-answer.js';
import { isTooLong, messageForm } from './message-request.js';
import { Reachability } from './reachability.js';
import { Requests } from './requests.js';
import { type CompleteHttpSettings, completeHttpSettings, type HttpCarrierSettings } from './settings.js';

/** The provider gets texts as they are. */
const WIRE_FORMAT: WireFormat = { unit: 'message', text: 'http' };

/** Receipts come to the gateway as callbacks, never here. */
type HttpCarrierDependencies = Omit<CarrierDependencies, 'onReceipt' | 'onInbound'>;

/** A carrier with the message API of Twilio, which others copy: one request for each message. */
export class HttpCarrier extends Carrier {
  readonly name: string;
  readonly wireFormat = WIRE_FORMAT;
  private readonly settings: CompleteHttpSettings;
  private readonly client: ApiClient;
  private readonly reachability: Reachability;
  private readonly rate: SubmitRate;
  private readonly slots: SubmitSlots;
  private readonly requests: Requests;
  private readonly now: () => number;
  private closed: Promise<void> | undefined;

  /** @throws RangeError naming the setting that cannot work */
  constructor(
    settings: HttpCarrierSettings,
    private readonly dependencies: HttpCarrierDependencies,
  ) {
    super();
    this.settings = completeHttpSettings(settings);
    this.name = settings.name;
    this.now = dependencies.now ?? (() => performance.now());
    this.rate = new SubmitRate(settings.submitsPerSecond, this.now());
    this.client = new ApiClient(this.settings);
    this.reachability = new Reachability({
      settings: this.settings,
      log: dependencies.log,
      now: this.now,
      random: dependencies.random ?? Math.random,
      probe: () => this.client.probe(),
      onStateChange: (state) => {
        dependencies.onStateChange?.(state);
        this.slots.progress();
      },
      onFault: (reason) => dependencies.onFault?.(reason),
    });
    this.slots = new SubmitSlots(WIRE_FORMAT, this.rate, this.now, () => dependencies.onSlotsFree?.());
    this.requests = new Requests(
      () => this.reachability.requestsMax,
      (segment) => this.submit(segment),
      () => this.slots.progress(),
    );
    this.slots.open(this.requests);
  }

  get state(): BindState {
    return this.reachability.state;
  }

  start(): void {
    this.reachability.start();
  }

  takeSlots(max: number): SubmitSlot[] {
    return this.slots.take(max);
  }

  setSubmitsPerSecond(submitsPerSecond: number | undefined): void {
    this.rate.configure(submitsPerSecond, this.now());
    this.slots.progress();
  }

  close(graceMs: number): Promise<void> {
    this.closed ??= this.finish(graceMs);
    return this.closed;
  }

  private async finish(graceMs: number): Promise<void> {
    this.slots.close();
    this.reachability.closing();
    await this.requests.untilIdle(graceMs);
    this.client.close();
    this.reachability.closed();
  }

  private async submit(segment: OutboundSegment): Promise<SubmitOutcome> {
    const submittedAtMs = this.now();
    const outcome = await this.outcomeOf(segment, submittedAtMs);
    const nowMs = this.now();
    if (outcome.kind === 'accepted') this.rate.onAccepted(nowMs);
    else if (outcome.kind === 'throttled') this.rate.onThrottled(nowMs, submittedAtMs);
    this.dependencies.onSubmit?.(nowMs - submittedAtMs, outcome.kind);
    return outcome;
  }

  private async outcomeOf(segment: OutboundSegment, submittedAtMs: number): Promise<SubmitOutcome> {
    if (isTooLong(segment.text)) return { kind: 'refused', code: 'TEXT_TOO_LONG' };
    if (this.reachability.requestsMax === 0) return { kind: 'not-sent', code: 'PROVIDER_DOWN' };
    const exchange = await this.client.post(messageForm(segment, this.settings));
    return exchange.kind === 'answer'
      ? this.answered(exchange, segment, submittedAtMs)
      : this.unanswered(exchange, submittedAtMs);
  }

  private answered(
    { answer }: Extract<Exchange, { kind: 'answer' }>,
    segment: OutboundSegment,
    submittedAtMs: number,
  ): SubmitOutcome {
    const from = { isOwnSender: segment.sender !== undefined, errorCodes: this.settings.errorCodes };
    const { outcome, trouble, retryAfterMs } = classifyAnswer(answer, from, Date.now());
    if (retryAfterMs !== undefined) this.rate.pause(this.now() + retryAfterMs);
    if (trouble === 'account') this.reachability.accountRefused(submittedAtMs, wordOf(outcome));
    else if (trouble === 'server') this.reachability.faulty(submittedAtMs, wordOf(outcome));
    else this.reachability.worked();
    if (outcome.kind === 'accepted' && outcome.carrierMessageId === '') {
      this.dependencies.log.warn({ carrier: this.name }, 'the provider took a message without saying its id');
    }
    return outcome;
  }

  private unanswered(
    { kind, code, reason }: Exclude<Exchange, { kind: 'answer' }>,
    submittedAtMs: number,
  ): SubmitOutcome {
    if (kind === 'not-sent') {
      this.reachability.unreachable(submittedAtMs, reason);
      return { kind: 'not-sent', code };
    }
    this.reachability.faulty(submittedAtMs, reason);
    return { kind: 'in-doubt', code };
  }
}

function wordOf(outcome: SubmitOutcome): string {
  return 'code' in outcome ? outcome.code : '';
}
