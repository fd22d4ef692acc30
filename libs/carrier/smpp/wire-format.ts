import type { WireFormat } from '../carrier.js';
import type { CompleteSettings } from './settings.js';

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
] as const satisfies readonly (keyof CompleteSettings)[];

/** The wire format of a carrier with these settings. */
export function wireFormatOf(settings: CompleteSettings): WireFormat {
  const wire = Object.fromEntries(WIRE_SETTINGS.map((name) => [name, settings[name] ?? null]));
  return { unit: settings.concatenation === 'payload' ? 'message' : 'segment', text: JSON.stringify(wire) };
}

/**
 * The settings of a carrier, with those of a format in which it began a message. Settings of another version that this
 * version does not know are ignored; settings that are missing are as now.
 *
 * @param format that the carrier returned before
 */
export function inFormat(settings: CompleteSettings, format: string): CompleteSettings {
  const told = JSON.parse(format) as Record<string, unknown>;
  const wire = WIRE_SETTINGS.filter((name) => name in told).map((name) => [name, told[name] ?? undefined]);
  return { ...settings, ...Object.fromEntries(wire) };
}
