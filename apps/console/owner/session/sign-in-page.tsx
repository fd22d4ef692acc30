import { Anchor } from '@mantine/core';
import { LonePage } from '../../shell/frame/lone-page.js';
import { t } from '../words.js';
import { sessions } from './session.js';
import { SignInForm } from './sign-in-form.js';

export function SignInPage() {
  return (
    <LonePage
      name={t.session.signIn}
      title={t.session.title}
      about={t.session.about}
      head={
        <Anchor href="/docs" size="sm">
          {t.navigation.documentation}
        </Anchor>
      }
    >
      <SignInForm
        onSignedIn={(session) => {
          sessions.begin(session);
          return undefined;
        }}
      />
    </LonePage>
  );
}
