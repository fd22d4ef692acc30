import { Button } from '@mantine/core';
import { LonePage } from '../../shell/frame/lone-page.js';
import { PasswordForm } from '../me/password-form.js';
import { t } from '../words.js';
import { leave, loadMe } from './api.js';

/** Somebody else chose the password, so the person chooses another one before anything else. */
export function ChoosePasswordPage() {
  return (
    <LonePage subtitle={t.name} title={t.session.choose.title} about={t.session.choose.about}>
      <PasswordForm onChanged={() => void loadMe()} />
      <Button variant="subtle" color="gray" fullWidth mt="xs" onClick={() => void leave()}>
        {t.session.signOut}
      </Button>
    </LonePage>
  );
}
