import { ProcessMetrics } from '#telemetry';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600];

/** The metrics of a webhooks process, served at its own `/metrics`. */
export class WebhookMetrics extends ProcessMetrics {
  readonly attempts = this.counter('heliograph_webhook_attempts_total', 'Requests to receivers, by outcome.', [
    'outcome',
  ]);
  readonly attemptSeconds = this.histogram(
    'heliograph_webhook_attempt_seconds',
    'Time from a request to its answer.',
    SECONDS,
  );
  readonly eventSeconds = this.histogram(
    'heliograph_webhook_event_seconds',
    'Time from an event to its delivery, of those that arrived at the first attempt.',
    SECONDS,
  );
  readonly disabled = this.counter('heliograph_webhook_disabled_total', 'Webhooks that were disabled, by reason.', [
    'reason',
  ]);

  /** @param count of this process, by state */
  observe(count: () => { readonly delivering: number; readonly failing: number; readonly inFlight: number }): void {
    this.gauge('heliograph_webhook_endpoints', 'Webhooks of this process, by state.', ['state'], (gauge) => {
      const { delivering, failing } = count();
      gauge.set({ state: 'delivering' }, delivering);
      gauge.set({ state: 'failing' }, failing);
    });
    this.gauge('heliograph_webhook_in_flight', 'Requests that wait for an answer.', [], (gauge) =>
      gauge.set(count().inFlight),
    );
  }
}
