import type { ReactNode } from 'react';
import classes from './scroll-box.module.css';

/** Scrolls what is wider than the screen, also by keyboard. `label` says what it is, for screen readers. */
export function ScrollBox({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus.
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
