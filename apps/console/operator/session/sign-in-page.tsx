import { t } from '../words.js';
import { LonePage } from './lone-page.js';
import { SignInForm } from './sign-in-form.js';

export function SignInPage() {
  return (
    <LonePage title={t.session.title} about={t.session.about}>
      <SignInForm />
    </LonePage>
  );
}
