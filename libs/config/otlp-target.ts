import type { Config } from './load-config.js';

/** Where and how traces are sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  /** A file of certificates (PEM) that the collector's may be signed by, beside the usual ones. */
  readonly certificateFile: string | undefined;
  /** What was asked for; this service speaks `http/json` only. */
  readonly protocol: string | undefined;
}

const PATH = 'v1/traces';

/**
 * The collector of traces by the standard settings of OpenTelemetry (Protocol Exporter Configuration): what is for
 * traces goes before what is for all signals, and `/v1/traces` is added to the general address only. Undefined: there
 * is none.
 */
export function otlpTarget(config: Partial<Config>): OtlpTarget | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = config;
  const url = own ?? (base && new URL(PATH, base.endsWith('/') ? base : `${base}/`).href);
  if (url === undefined) return undefined;
  return {
    url,
    headers: {
      ...headersOf(config.OTEL_EXPORTER_OTLP_HEADERS),
      ...headersOf(config.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
    },
    timeoutMs: config.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? config.OTEL_EXPORTER_OTLP_TIMEOUT ?? 10_000,
    compression: config.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? config.OTEL_EXPORTER_OTLP_COMPRESSION ?? 'none',
    certificateFile: config.OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE ?? config.OTEL_EXPORTER_OTLP_CERTIFICATE,
    protocol: config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL,
  };
}

/** `name=value,name=value`, with values as in URLs (W3C Baggage). */
function headersOf(list = ''): Record<string, string> {
  const pairs = list.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
