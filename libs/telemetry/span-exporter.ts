/** A span of another trace: of the request that brought a message. */
export interface SpanReference {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span that is over. It must not hold a text or a number. */
export interface EndedSpan {
  readonly name: string;
  readonly kind: 'server' | 'producer' | 'consumer' | 'client';
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed; undefined: it did not. */
  readonly failure?: string | undefined;
}

/** Where the span of a message belongs. */
export interface SpanPlace extends SpanReference {
  /** Undefined: it is the first span of its trace. */
  readonly parentId: string | undefined;
  readonly link?: SpanReference | undefined;
}

/** What takes spans to a collector. */
export interface SpanExporter {
  add(place: SpanPlace, span: EndedSpan): void;
  newSpanId(): string;
  newTraceId(): string;
  /** Sends what is left. */
  close(): Promise<void>;
}
