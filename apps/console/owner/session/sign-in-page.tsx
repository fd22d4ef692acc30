import { Anchor, Group, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { ThemeMenu } from '../../shell/frame/theme-menu.js';
import logo from '../../shell/icon.svg';
import { t } from '../words.js';
import { sessions } from './session.js';
import { SignInForm } from './sign-in-form.js';
import classes from './sign-in-page.module.css';

export function SignInPage() {
  useEffect(() => {
    document.title = `${t.session.signIn} · Heliograph`;
  }, []);
  return (
    <div className={classes.page}>
      <Group justify="flex-end" p="md" component="header">
        <Anchor href="/docs" size="sm">
          {t.navigation.documentation}
        </Anchor>
        <ThemeMenu />
      </Group>
      <main className={classes.main}>
        <Group gap="xs" justify="center" className={classes.brand ?? ''}>
          <img src={logo} alt="" width="34" height="34" />
          <span>Heliograph</span>
        </Group>
        <section className={`panel ${classes.card}`}>
          <Title order={1} size="h2">
            {t.session.title}
          </Title>
          <Text c="dimmed" size="sm" mt={4} mb="lg">
            {t.session.about}
          </Text>
          <SignInForm
            onSignedIn={(session) => {
              sessions.begin(session);
              return undefined;
            }}
          />
        </section>
      </main>
    </div>
  );
}
