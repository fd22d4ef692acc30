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
