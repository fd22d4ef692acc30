import type { WireFormat } from '../carrier.js';
import { SubmitEncoder, type SubmitFormat } from './submit-sm.js';

/**
 * The settings that decide the octets of a text, how it is split, and which parts a handset joins: it joins only parts
 * with one sender and one form of header.
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

/** A carrier's settings change seldom; encoders for more formats are built again. */
const ENCODERS_MAX = 20;

/** The wire format of a carrier with these settings. */
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

  /** @param format that a carrier returned before; undefined: its current one */
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

/** Settings of another version that this version does not know are ignored; settings that are missing are as now. */
function readFormat(format: string): Partial<SubmitFormat> {
  const told = JSON.parse(format) as Record<string, unknown>;
  return Object.fromEntries(
    WIRE_SETTINGS.filter((name) => name in told).map((name) => [name, told[name] ?? undefined]),
  );
}
