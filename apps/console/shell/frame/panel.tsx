import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './panel.module.css';

interface PanelProps {
  readonly title?: string;
  /** At the right of the title. */
  readonly actions?: ReactNode;
  /** The content touches the edges, as tables do. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** The space at the sides of what stands above or below a table, so that it begins where the table's text does. */
export const PANEL_SIDES = { base: 'md', sm: 'lg' } as const;

/** A part of a page with an edge around it. */
export function Panel({ title, actions, flush = false, children }: PanelProps) {
  return (
    <section className={`panel ${classes.panel}`}>
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" gap="xs" className={classes.head ?? ''}>
          {title !== undefined && <Title order={2}>{title}</Title>}
          {actions}
        </Group>
      )}
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  );
}
