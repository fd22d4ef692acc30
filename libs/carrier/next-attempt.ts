interface Waits {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait before a carrier is tried again, in milliseconds: longer after each attempt, and with a random part,
 * so that workers do not come back all at once. If only the operator can mend what is wrong, it is at least half of the
 * longest wait, so that the carrier does not lock the account.
 *
 * @param attempts made in vain until now
 * @param random uniform in [0, 1)
 */
export function nextAttemptInMs(
  { minMs, maxMs }: Waits,
  attempts: number,
  needsOperator: boolean,
  random: () => number,
): number {
  const capMs = needsOperator ? maxMs : Math.min(maxMs, minMs * 2 ** attempts);
  const floorMs = needsOperator ? maxMs / 2 : Math.min(minMs, capMs);
  return Math.round(floorMs + random() * (capMs - floorMs));
}
