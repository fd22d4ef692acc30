import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { rootCertificates } from 'node:tls';
import {
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  type SpanExporter as LibraryExporter,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-base';
import { ConfigError, type OtlpTarget, VERSION } from '#config';
import { LineLimit } from './line-limit.js';
import type { Logger } from './logger.js';
import type { EndedSpan, SpanExporter, SpanPlace } from './span-exporter.js';

/** Spans that wait to be sent; more are dropped. */
const WAITING_MAX = 8_192;
const SENT_TOGETHER_MAX = 512;
const SEND_EVERY_MS = 1_000;
const CLOSE_TIMEOUT_MS = 3_000;
const PROTOCOL = 'http/json';

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const;

/**
 * Sends spans by OTLP over HTTP, as JSON. The library would read OTEL_* from the environment for each option that it
 * does not get, so it gets all of them: settings are read in `libs/config`.
 */
export class OtlpExporter implements SpanExporter {
  private readonly ids = new GivenIds();
  private readonly provider: BasicTracerProvider;
  private readonly tracer: Tracer;

  /** @throws ConfigError when the file of certificates cannot be read, or holds none */
  constructor(target: OtlpTarget, process: string, log: Logger) {
    const { protocol = PROTOCOL } = target;
    if (protocol !== PROTOCOL) log.warn({ protocol }, `traces are sent by ${PROTOCOL}, the only protocol there is`);
    const batches = new BatchSpanProcessor(tellingOfFailures(target, log), {
      maxQueueSize: WAITING_MAX,
      maxExportBatchSize: SENT_TOGETHER_MAX,
      scheduledDelayMillis: SEND_EVERY_MS,
      exportTimeoutMillis: target.timeoutMs * 2,
    });
    this.provider = new BasicTracerProvider({
      // Messages are sampled before they come here.
      sampler: new AlwaysOnSampler(),
      idGenerator: this.ids,
      spanProcessors: [batches],
      resource: resourceFromAttributes({
        'service.namespace': 'heliograph',
        'service.name': `heliograph-${process}`,
        'service.version': VERSION,
        'host.name': hostname(),
      }),
      spanLimits: {
        attributeCountLimit: 32,
        attributeValueLengthLimit: 256,
        linkCountLimit: 4,
        eventCountLimit: 4,
        attributePerEventCountLimit: 4,
        attributePerLinkCountLimit: 4,
      },
    });
    this.tracer = this.provider.getTracer('heliograph', VERSION);
  }

  newSpanId(): string {
    return this.ids.random.generateSpanId();
  }

  newTraceId(): string {
    return this.ids.random.generateTraceId();
  }

  add({ traceId, spanId, parentId, link }: SpanPlace, span: EndedSpan): void {
    this.ids.next = { traceId, spanId };
    const context =
      parentId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { ...sampled(traceId, parentId), isRemote: true });
    const { name, kind, attributes, failure, startMs, endMs } = span;
    const added = this.tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        attributes,
        startTime: hrTime(startMs),
        ...(link && { links: [{ context: sampled(link.traceId, link.spanId) }] }),
      },
      context,
    );
    if (failure !== undefined) added.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    added.end(hrTime(Math.max(startMs, endMs)));
  }

  /** Sends what is left, but waits for a collector that is away for a short time only. */
  async close(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([this.provider.shutdown().catch(() => undefined), late]);
  }
}

/** The library makes the ids of spans itself; these are given to it just before. */
class GivenIds implements IdGenerator {
  readonly random = new RandomIdGenerator();
  next = { traceId: '', spanId: '' };

  generateTraceId = (): string => this.next.traceId;
  generateSpanId = (): string => this.next.spanId;
}

type Options = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

/** A collector that is away must not go unnoticed, and must not fill the log. */
function tellingOfFailures(
  { url, headers, timeoutMs, compression, certificateFile }: OtlpTarget,
  log: Logger,
): LibraryExporter {
  const ca = certificateFile === undefined ? undefined : [...rootCertificates, certificatesOf(certificateFile)];
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit: 2,
    compression: compression as NonNullable<Options['compression']>,
    httpAgentOptions: { keepAlive: true, ...(ca !== undefined && { ca }) },
  });
  const lines = new LineLimit(1);
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && lines.admits()) {
          log.warn({ err: result.error, spans: spans.length }, 'traces could not be sent to the collector');
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function certificatesOf(file: string): string {
  const fault = (what: string) =>
    new ConfigError(`OTEL_EXPORTER_OTLP_CERTIFICATE (or its twin for traces): ${file} ${what}`);
  let certificates: string;
  try {
    certificates = readFileSync(file, 'utf8');
  } catch (error) {
    throw fault(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    new X509Certificate(certificates);
  } catch {
    // TLS would leave it out without a word.
    throw fault('holds no PEM certificate');
  }
  return certificates;
}

function sampled(traceId: string, spanId: string) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

/** The library takes a small number for a time since the process started. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
