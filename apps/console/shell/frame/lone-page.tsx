import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import logo from '../icon.svg';
import classes from './lone-page.module.css';
import { ThemeMenu } from './theme-menu.js';

interface LonePageProps {
  /** Of the tab, if it is not the title. */
  readonly name?: string;
  readonly title: string;
  readonly about: ReactNode;
  /** Beside the name of the product, e.g. "Operator". */
  readonly subtitle?: string;
  /** At the right of the head. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}

/** A page without the frame: one card in the middle. */
export function LonePage({ title, name = title, about, subtitle, head, children }: LonePageProps) {
  useEffect(() => {
    document.title = `${name} · Heliograph`;
  }, [name]);
  return (
    <div className={classes.page}>
      <Group justify="flex-end" p="md" component="header">
        {head}
        <ThemeMenu />
      </Group>
      <main className={classes.main}>
        <Group gap="xs" justify="center" className={classes.brand ?? ''}>
          <img src={logo} alt="" width="34" height="34" />
          <span>Heliograph</span>
          {subtitle !== undefined && <span className={classes.subtitle}>{subtitle}</span>}
        </Group>
        <section className={`panel ${classes.card}`}>
          <Title order={1} size="h2">
            {title}
          </Title>
          <Text c="dimmed" size="sm" mt={4} mb="lg" component="div">
            {about}
          </Text>
          {children}
        </section>
      </main>
    </div>
  );
}
