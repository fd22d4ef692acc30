import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { createApi } from '../../shell/api/create-api.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { words } from '../../shell/words.js';
import { t } from '../words.js';
import type { Session } from './session.js';

// Without a token: a wrong key here is no end of a session.
const api = createApi({});

/** No key has such characters: a browser refuses most of them in a header, so the service would not be asked. */
const NOT_OF_KEY = /[^\x21-\x7e]/;

interface SignInFormProps {
  /** Says what is wrong with the session, or nothing. */
  readonly onSignedIn: (session: Session) => string | undefined;
}

export function SignInForm({ onSignedIn }: SignInFormProps) {
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<ReactNode>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (NOT_OF_KEY.test(key.trim())) {
      setFault(words.refusal.codes.unauthorized);
      return;
    }
    setIsBusy(true);
    setFault(undefined);
    try {
      const session = await api.request<Session>('/v1/console/token', {
        method: 'POST',
        headers: { 'x-authorization': key.trim() },
      });
      setFault(onSignedIn(session));
    } catch (error) {
      setFault(<RefusalText error={error} />);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <PasswordInput
          label={t.session.key}
          description={t.session.keyHint}
          placeholder="hg_…"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          error={fault}
          autoComplete="off"
          spellCheck={false}
          required
          autoFocus
        />
        <Button type="submit" loading={isBusy} disabled={key.trim() === ''} fullWidth>
          {t.session.signIn}
        </Button>
      </Stack>
    </form>
  );
}
