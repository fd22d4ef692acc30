import { type Config, otlpTarget } from '#config';
import type { Logger } from './logger.js';
import type { EndedSpan, SpanExporter, SpanReference } from './span-exporter.js';

const RATIO_STEPS = 2 ** 32;

/**
 * The traces of messages, which every process adds to by itself: the id of a message (UUIDv7) is the id of its trace,
 * and its last half is the id of the first span. So nothing about traces travels with a message, and a receipt that
 * comes after hours finds its trace.
 *
 * Whether a message is sampled says its id alone, before any span is made: every process decides alike.
 */
export class MessageTraces {
  /** The last eight digits of sampled ids are below this; '': none is. */
  readonly threshold: string;

  private constructor(
    ratio: number,
    private readonly exporter: SpanExporter | undefined,
  ) {
    this.threshold = exporter === undefined ? '' : thresholdOf(ratio);
  }

  /** The library for traces is loaded only if an endpoint for traces is set: without it, this costs nothing. */
  static async open(
    config: Partial<Config> & Pick<Config, 'TRACE_SAMPLE_RATIO'>,
    process: string,
    log: Logger,
  ): Promise<MessageTraces> {
    const target = otlpTarget(config);
    if (target === undefined || config.TRACE_SAMPLE_RATIO === 0) return new MessageTraces(0, undefined);
    const { OtlpExporter } = await import('./otlp-exporter.js');
    return new MessageTraces(config.TRACE_SAMPLE_RATIO, new OtlpExporter(target, process, log));
  }

  get isOn(): boolean {
    return this.exporter !== undefined;
  }

  samples(messageId: string): boolean {
    return this.exporter !== undefined && messageId.slice(-8) < this.threshold;
  }

  /** Adds the first span of a sampled message, whose children all others are. */
  begin(messageId: string, span: EndedSpan, link: SpanReference): void {
    this.exporter?.add({ ...firstSpan(messageId), parentId: undefined, link }, span);
  }

  /** Adds a further span of a sampled message. */
  add(messageId: string, span: EndedSpan): void {
    if (this.exporter === undefined) return;
    const { traceId, spanId: parentId } = firstSpan(messageId);
    this.exporter.add({ traceId, spanId: this.exporter.newSpanId(), parentId }, span);
  }

  /**
   * Adds the span of a request.
   *
   * @param traceparent of the client, by W3C Trace Context; its trace goes on if it is valid
   */
  addRequest(traceparent: string | undefined, span: EndedSpan): SpanReference {
    const client = parseTraceParent(traceparent);
    const request = {
      traceId: client?.traceId ?? this.exporter?.newTraceId() ?? '',
      spanId: this.exporter?.newSpanId() ?? '',
    };
    this.exporter?.add({ ...request, parentId: client?.spanId }, span);
    return request;
  }

  async close(): Promise<void> {
    await this.exporter?.close();
  }
}

function thresholdOf(ratio: number): string {
  // Every digit is less than `g`.
  if (ratio >= 1) return 'g';
  return Math.floor(ratio * RATIO_STEPS)
    .toString(16)
    .padStart(8, '0');
}

function firstSpan(messageId: string): SpanReference {
  const traceId = messageId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags. Versions to come may add parts at the end. */
export function parseTraceParent(header: string | undefined): SpanReference | undefined {
  const [, version, traceId = '', spanId = '', more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header ?? '') ?? [];
  const isKnown = version === '00' ? more === undefined : version !== 'ff';
  if (version === undefined || !isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId };
}
