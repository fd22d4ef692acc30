import type { ReactNode } from 'react';
import classes from './figure.module.css';

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

/** A number that says much, with what it is compared with. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <div className={`panel ${classes.figure}`}>
      <dt className={classes.label}>{label}</dt>
      <dd style={{ margin: 0 }}>
        <div className={classes.value}>{value}</div>
        {note !== undefined && <div className={classes.note}>{note}</div>}
      </dd>
    </div>
  );
}

export function FigureRow({ children }: { readonly children: ReactNode }) {
  return (
    <dl className={classes.row} style={{ margin: 0 }}>
      {children}
    </dl>
  );
}
