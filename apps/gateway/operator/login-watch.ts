import type { FastifyRequest } from 'fastify';
import type { Logger } from '#telemetry';
import { clientNetwork } from '../http/client-network.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { LoginDelays } from './login-delays.js';

const WARN_EVERY_MS = 10_000;

/** What becomes of wrong passwords, codes and tokens: counted, told in the log, and delays for their address. */
export class LoginWatch {
  private readonly delays = new LoginDelays();
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly metrics: GatewayMetrics,
    private readonly log: Logger,
  ) {}

  /** Milliseconds until anything that this client sends is checked. */
  waitMs({ ip }: FastifyRequest): number {
    return this.delays.waitMs(clientNetwork(ip));
  }

  failed({ ip }: FastifyRequest): void {
    const address = clientNetwork(ip);
    const failures = this.delays.failed(address);
    this.metrics.operatorLoginsFailed.inc();
    if (performance.now() - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = performance.now();
    this.log.warn({ address, failures }, 'a wrong operator password was sent');
  }

  succeeded({ ip }: FastifyRequest): void {
    this.delays.succeeded(clientNetwork(ip));
  }
}
