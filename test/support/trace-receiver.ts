import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { traceId: string; spanId: string }[];
}

/** A collector of OpenTelemetry, as far as processes of the service can see: OTLP over HTTP in JSON. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that was sent to it. */
  text = '';
  /** The header `api-key` of its requests. */
  readonly keys = new Set<string>();
  private readonly server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.keys.add(String(request.headers['api-key']));
    this.take((request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString());
    response.setHeader('content-type', 'application/json').end('{}');
  });

  static async start(): Promise<TraceReceiver> {
    const receiver = new TraceReceiver();
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace, in the order of their starts. */
  ofTrace(traceId: string): ReceivedSpan[] {
    return this.spans
      .filter((span) => span.traceId === traceId)
      .sort((one, other) =>
        one.start === other.start ? Number(one.end - other.end) : Number(one.start - other.start),
      );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private take(body: string): void {
    this.text += body;
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
    };
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = valuesOf(resource.attributes)['service.name'] ?? '';
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({
          service,
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId || undefined,
          name: span.name,
          start: BigInt(span.startTimeUnixNano),
          end: BigInt(span.endTimeUnixNano),
          attributes: valuesOf(span.attributes),
          links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        });
      }
    }
  }
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}
