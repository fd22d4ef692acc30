import { formatCount } from '../../shell/format-numbers.js';
import type { TextCount } from './count-text.js';
import classes from './handset.module.css';
import { c } from './words.js';

/** Pieces that are shown; nobody reads a text of ten segments here. */
const SHOWN_MAX = 4;

/** The message as a handset shows it, with its segments told apart. */
export function Handset({ count, sender }: { readonly count: TextCount; readonly sender: string }) {
  const { pieces, length } = count;
  const left = pieces.length - SHOWN_MAX;
  return (
    <figure className={classes.handset} aria-label={c.preview.label}>
      <figcaption className={classes.sender}>{sender === '' ? c.preview.sender : sender}</figcaption>
      <div className={`${classes.bubble} written`} data-empty={length === 0 || undefined}>
        {length === 0
          ? c.preview.empty
          : pieces.slice(0, SHOWN_MAX).map((piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place.
              <span key={index} className={classes.piece}>
                {piece}
              </span>
            ))}
        {left > 0 && <span className={classes.more}>{c.preview.more(left, formatCount(left))}</span>}
      </div>
      {pieces.length > 1 && <p className={classes.note}>{c.preview.note}</p>}
    </figure>
  );
}
