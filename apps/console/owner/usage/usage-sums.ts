import type { UsageItem } from '#client';
import { microsOf } from '../../shell/format-numbers.js';

const DAY_MS = 86_400_000;

/** Sums of messages, in micro-units where money is concerned. */
export interface UsageSums {
  messages: number;
  segments: number;
  micros: bigint;
  delivered: number;
  /** Ended otherwise: undelivered, failed, unknown. */
  lost: number;
}

const LOST: ReadonlySet<UsageItem['status']> = new Set(['undelivered', 'failed', 'unknown']);

export function sumUsage(items: readonly UsageItem[]): UsageSums {
  const sums: UsageSums = { messages: 0, segments: 0, micros: 0n, delivered: 0, lost: 0 };
  for (const item of items) {
    sums.messages += item.messages;
    sums.segments += item.segments;
    sums.micros += microsOf(item.amount);
    if (item.status === 'delivered') sums.delivered += item.messages;
    if (LOST.has(item.status)) sums.lost += item.messages;
  }
  return sums;
}

/** Of the messages whose result is known; undefined while there is none. */
export function deliveryRate({ delivered, lost }: UsageSums): number | undefined {
  return delivered + lost === 0 ? undefined : delivered / (delivered + lost);
}

/** The sums of each value of a field, the most messages first. */
export function groupUsage(items: readonly UsageItem[], field: 'day' | 'destination' | 'status') {
  const groups = new Map<string, UsageItem[]>();
  for (const item of items) {
    const group = groups.get(item[field]);
    if (group === undefined) groups.set(item[field], [item]);
    else group.push(item);
  }
  return [...groups]
    .map(([name, ofGroup]) => ({ name, sums: sumUsage(ofGroup) }))
    .sort((a, b) => (field === 'day' ? b.name.localeCompare(a.name) : b.sums.messages - a.sums.messages));
}

/** Every day from the first to the last one, also those without a message. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from.slice(0, 10)); at < Date.parse(to.slice(0, 10)); at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
}
