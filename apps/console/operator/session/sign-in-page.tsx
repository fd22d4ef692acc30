import { LonePage } from '../../shell/frame/lone-page.js';
import { t } from '../words.js';
import { SignInForm } from './sign-in-form.js';

export function SignInPage() {
  return (
    <LonePage subtitle={t.name} title={t.session.title} about={t.session.about}>
      <SignInForm />
    </LonePage>
  );
}
