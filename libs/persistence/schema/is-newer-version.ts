/** Whether `version` comes after `other`: `0.10.0` after `0.9.1`. What follows a hyphen does not count. */
export function isNewerVersion(version: string, other: string): boolean {
  const [left, right] = [partsOf(version), partsOf(other)];
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0);
}

function partsOf(version: string): number[] {
  const numbers = version.split('-')[0]?.split('.').map(Number) ?? [];
  return [0, 1, 2].map((index) => numbers[index] ?? 0);
}
