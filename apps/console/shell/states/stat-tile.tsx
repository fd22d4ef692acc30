import { Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { FigureText } from './figure-text.js';
import classes from './stat-tile.module.css';

interface StatTileProps {
  readonly label: string;
  readonly value: ReactNode;
  /** A few words below, e.g. of which days. */
  readonly note?: ReactNode;
}

/** One figure that is read from afar. */
export function StatTile({ label, value, note }: StatTileProps) {
  return (
    <div className={`panel ${classes.tile}`}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <dd className={classes.value} style={lengthOf(value)}>
        <FigureText>{value}</FigureText>
      </dd>
      {note !== undefined && (
        <Text component="dd" size="xs" c="dimmed" className={classes.note ?? ''}>
          {note}
        </Text>
      )}
    </div>
  );
}

/** For the size of its letters: a long amount stays in one line. */
function lengthOf(value: ReactNode): CSSProperties {
  return typeof value === 'string' ? ({ '--length': value.length } as CSSProperties) : {};
}

/** The tiles of a page, side by side as far as there is room. */
export function StatTiles({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.tiles}>{children}</dl>;
}
