import classes from './state-word.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

/** A word of so many letters has room in a column of a phone. */
const SHORT_LETTERS = 9;

/** A state by colour, by shape and by word. */
export function StateWord({ tone, word }: { readonly tone: Tone; readonly word: string }) {
  return (
    <span className={classes.state} data-tone={tone} data-long={word.length > SHORT_LETTERS || undefined}>
      <span className={classes.mark} aria-hidden="true" />
      <span className={classes.word}>{word}</span>
    </span>
  );
}
