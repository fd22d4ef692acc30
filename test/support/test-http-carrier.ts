import {
  type BindState,
  HttpCarrier,
  type HttpCarrierSettings,
  type OutboundSegment,
  type SubmitOutcome,
} from '#carrier';
import { closedAfterTest } from './closed-after-test.js';
import { FreeSlots } from './free-slots.js';
import { type ApiScript, ScriptedApi } from './scripted-api.js';
import { type LogLine, submitOn } from './test-carrier.js';
import { until } from './until.js';

/** An HTTP carrier under test with everything that it told the outside. */
export class TestHttpCarrier {
  readonly logLines: LogLine[] = [];
  readonly states: BindState[] = [];
  readonly submits: SubmitOutcome['kind'][] = [];
  readonly carrier: HttpCarrier;
  readonly slots = new FreeSlots(() => this.carrier);

  constructor(port: number, settings: Partial<HttpCarrierSettings> = {}) {
    const log = (level: LogLine['level']) => (fields: object, message: string) => {
      this.logLines.push({ level, fields, message });
    };
    this.carrier = new HttpCarrier(
      {
        name: 'acme',
        host: '127.0.0.1',
        port,
        tls: false,
        systemId: 'AC123',
        password: 'token',
        sender: 'Heliograph',
        retryMinMs: 10,
        retryMaxMs: 40,
        ...settings,
      },
      {
        log: { info: log('info'), warn: log('warn'), error: log('error') },
        onStateChange: (state) => this.states.push(state),
        onSlotsFree: this.slots.tell,
        onSubmit: (_latencyMs, kind) => this.submits.push(kind),
      },
    );
    closedAfterTest(() => this.carrier.close(0));
    this.carrier.start();
  }

  async untilBound(): Promise<this> {
    await until('the provider is reached', () => this.carrier.state === 'bound');
    return this;
  }

  async submit(segment: Partial<OutboundSegment> = {}): Promise<SubmitOutcome> {
    return submitOn(await this.slots.take(), aMessage(segment));
  }
}

/** A scripted API and a carrier that has reached it; both are closed after the test. */
export async function anHttpCarrier(
  script?: ApiScript,
  settings: Partial<HttpCarrierSettings> = {},
  how: { tls?: boolean } = {},
): Promise<{ api: ScriptedApi; subject: TestHttpCarrier }> {
  const api = await anApi(script, how);
  const tls = how.tls ? { tls: true, host: 'localhost' } : {};
  const subject = await new TestHttpCarrier(api.port, { ...tls, ...settings }).untilBound();
  return { api, subject };
}

export async function anApi(script?: ApiScript, how: { tls?: boolean; port?: number } = {}): Promise<ScriptedApi> {
  const api = await ScriptedApi.listen(script, how);
  closedAfterTest(() => api.close());
  return api;
}

export function aMessage(segment: Partial<OutboundSegment> = {}): OutboundSegment {
  return { destination: '46700100200', encoding: 'standard', text: 'Hello', userMessageReference: 7, ...segment };
}
