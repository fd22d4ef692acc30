import type { WireFormat } from '../carrier.js';
import { SubmitEncoder, type SubmitFormat } from './submit-sm.js';

/**
 * The settings that decide the octets of a text, how it is cut, and which parts a handset joins: it joins those with
 * one sender and one form of header only.
 */
const WIRE_SETTINGS = [
  'concatenation',
  'dataCoding',
  'defaultAlphabet',
  'sender',
  'fixedSender',
  'sourceTon',
  'sourceNpi',
] as const satisfies readonly (keyof SubmitFormat)[];

/** A carrier's settings change seldom; formats beyond these are made again. */
const ENCODERS_MAX = 20;

/** How a carrier of these settings writes messages. */
export function wireFormatOf(settings: SubmitFormat): WireFormat {
  const wire = Object.fromEntries(WIRE_SETTINGS.map((name) => [name, settings[name] ?? null]));
  return { unit: settings.concatenation === 'payload' ? 'message' : 'segment', text: JSON.stringify(wire) };
}

/** An encoder for each format in which messages of this carrier were begun. */
export class SubmitEncoders {
  private readonly own: SubmitEncoder;
  private readonly others = new Map<string, SubmitEncoder>();

  constructor(private readonly settings: SubmitFormat) {
    this.own = new SubmitEncoder(settings);
  }

  /** @param format that a carrier has told before; undefined: its own now */
  of(format: string | undefined): SubmitEncoder {
    if (format === undefined) return this.own;
    const known = this.others.get(format);
    if (known !== undefined) return known;
    const encoder = new SubmitEncoder({ ...this.settings, ...readFormat(format) });
    if (this.others.size >= ENCODERS_MAX) this.others.clear();
    this.others.set(format, encoder);
    return encoder;
  }
}

/** What another version has told beyond the settings of this one is left out, and what it has not told is as now. */
function readFormat(format: string): Partial<SubmitFormat> {
  const told = JSON.parse(format) as Record<string, unknown>;
  return Object.fromEntries(
    WIRE_SETTINGS.filter((name) => name in told).map((name) => [name, told[name] ?? undefined]),
  );
}
