import type { BindState, CarrierDependencies, OutboundSegment, SubmitOutcome, WireFormat } from '../carrier.js';
import { PacedCarrier } from '../pace/paced-carrier.js';
import { Requests } from '../pace/requests.js';
import { ApiClient, type Exchange } from './api-client.js';
import { classifyAnswer } from './classify-answer.js';
import { isTooLong, messageForm } from './message-request.js';
import { Reachability } from './reachability.js';
import { type CompleteHttpSettings, completeHttpSettings, type HttpCarrierSettings } from './settings.js';

/** The provider gets texts as they are. */
const WIRE_FORMAT: WireFormat = { unit: 'message', text: 'http' };

/** Receipts come to the gateway as callbacks, never here. */
type HttpCarrierDependencies = Omit<CarrierDependencies, 'onReceipt' | 'onInbound'>;

/** A carrier with the message API of Twilio, which others copy: one request for each message. */
export class HttpCarrier extends PacedCarrier {
  private readonly settings: CompleteHttpSettings;
  private readonly client: ApiClient;
  private readonly reachability: Reachability;
  private readonly requests: Requests;
  private closed: Promise<void> | undefined;

  /** @throws RangeError naming the setting that cannot work */
  constructor(
    settings: HttpCarrierSettings,
    private readonly dependencies: HttpCarrierDependencies,
  ) {
    const complete = completeHttpSettings(settings);
    super(settings.name, WIRE_FORMAT, settings.submitsPerSecond, dependencies);
    this.settings = complete;
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
    this.requests = new Requests(
      () => this.reachability.requestsMax,
      (segment) => this.submit(segment),
    );
    this.slots.open(this.requests);
  }

  get state(): BindState {
    return this.reachability.state;
  }

  start(): void {
    this.reachability.start();
  }

  close(graceMs: number): Promise<void> {
    if (this.closed === undefined) this.closed = this.finish(graceMs);
    // What is under way ends then, if the first call would have waited longer.
    else void this.requests.untilIdle(graceMs).then(() => this.client.close());
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
    this.noteOutcome(outcome, submittedAtMs);
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
