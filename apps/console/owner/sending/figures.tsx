import type { ReactNode } from 'react';
import classes from './figures.module.css';

export interface Figure {
  readonly name: string;
  readonly value: ReactNode;
  /** The one that counts. */
  readonly isMain?: boolean;
  readonly isBad?: boolean;
}

/** Names and figures, one a line, e.g. messages, segments, price. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ name, value, isMain = false, isBad = false }) => (
        <div key={name} data-main={isMain || undefined} data-bad={isBad || undefined}>
          <dt>{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
