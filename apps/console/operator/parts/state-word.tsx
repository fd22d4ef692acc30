import classes from './state-word.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

/** A state by colour, by shape and by word. */
export function StateWord({ tone, word }: { readonly tone: Tone; readonly word: string }) {
  return (
    <span className={classes.state} data-tone={tone}>
      <span className={classes.mark} aria-hidden="true" />
      <span className={classes.word}>{word}</span>
    </span>
  );
}
