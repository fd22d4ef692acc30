import { formatRecent, formatTime } from '../format-times.js';

/** When something was: in a few letters, with the whole moment for those who point at it. */
export function RecentTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatRecent(at)}
    </time>
  );
}
