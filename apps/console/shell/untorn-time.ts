/** Of a date that is written with its time, the parts that belong to the time. */
const CLOCK_PARTS: readonly string[] = ['hour', 'minute', 'second', 'dayPeriod'];

/** A day and its time, between which alone a line may end: in "4:47:04 PM", the space is of the time. */
export function untornTime(format: Intl.DateTimeFormat, at: Date): string {
  const parts = format.formatToParts(at);
  const isOf = (place: number) => parts[place] && (CLOCK_PARTS.includes(parts[place].type) ? 'clock' : 'day');
  return parts
    .map(({ type, value }, place) => {
      const [before, after] = [isOf(place - 1), isOf(place + 1)];
      const isBetween = type === 'literal' && before !== undefined && after !== undefined && before !== after;
      return value.replace(isBetween ? / (?=.* )/g : / /g, '\u00a0');
    })
    .join('');
}
