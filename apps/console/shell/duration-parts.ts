type Part = readonly [number, 'hour' | 'minute' | 'second'];

/** A time in its two largest units. It is rounded before it is parted: no minute has 60 seconds. */
export function durationParts(milliseconds: number): readonly Part[] {
  const tenths = Math.round(milliseconds / 100) / 10;
  if (tenths < 10) return [[tenths, 'second']];
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return [[seconds, 'second']];
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes < 60)
    return [
      [minutes, 'minute'],
      [rest, 'second'],
    ];
  const all = Math.round(milliseconds / 60_000);
  return [
    [Math.floor(all / 60), 'hour'],
    [all % 60, 'minute'],
  ];
}
