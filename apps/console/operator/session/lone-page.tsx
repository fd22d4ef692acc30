import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ThemeMenu } from '../../shell/frame/theme-menu.js';
import logo from '../../shell/icon.svg';
import { t } from '../words.js';
import classes from './sign-in-page.module.css';

interface LonePageProps {
  readonly title: string;
  readonly about: ReactNode;
  readonly children: ReactNode;
}

/** A page without the frame: one card in the middle. */
export function LonePage({ title, about, children }: LonePageProps) {
  useEffect(() => {
    document.title = `${title} · Heliograph`;
  }, [title]);
  return (
    <div className={classes.page}>
      <Group justify="flex-end" p="md" component="header">
        <ThemeMenu />
      </Group>
      <main className={classes.main}>
        <Group gap="xs" justify="center" className={classes.brand ?? ''}>
          <img src={logo} alt="" width="34" height="34" />
          <span>Heliograph</span>
          <span className={classes.operator}>{t.name}</span>
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
