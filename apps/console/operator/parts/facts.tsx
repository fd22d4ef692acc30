import type { ReactNode } from 'react';
import { FigureText } from '../../shell/states/figure-text.js';
import classes from './facts.module.css';

/** Names and what they are. A fact that is undefined is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <FigureText>{value}</FigureText>
            </dd>
          </div>
        ))}
    </dl>
  );
}
