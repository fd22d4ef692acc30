import type { Tone } from './state-word.js';

const CARRIERS: Readonly<Record<string, Tone>> = {
  bound: 'good',
  throttled: 'warn',
  down: 'bad',
  paused: 'warn',
  excluded: 'quiet',
  unused: 'quiet',
};
const MESSAGES: Readonly<Record<string, Tone>> = {
  scheduled: 'quiet',
  queued: 'busy',
  sending: 'busy',
  sent: 'busy',
  delivered: 'good',
  undelivered: 'bad',
  failed: 'bad',
  canceled: 'quiet',
  unknown: 'warn',
};
const ACCOUNTS: Readonly<Record<string, Tone>> = { active: 'good', suspended: 'warn', closed: 'quiet' };
const CHECKS: Readonly<Record<string, Tone>> = { ok: 'good', warn: 'warn', fail: 'bad' };

export const carrierTone = (state: string): Tone => CARRIERS[state] ?? 'quiet';
export const messageTone = (state: string): Tone => MESSAGES[state] ?? 'quiet';
export const accountTone = (status: string): Tone => ACCOUNTS[status] ?? 'quiet';
export const checkTone = (state: string): Tone => CHECKS[state] ?? 'quiet';
