import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../shell/api/api-error.js';
import { FaultText } from '../../shell/states/fault-text.js';
import { t } from '../words.js';
import { loadMe, openApi } from './api.js';

interface SignInFormProps {
  /** Whoever has to sign in again; undefined: anybody. */
  readonly only?: string;
  readonly onSignedIn?: () => void;
}

/** Name and password, and the code once the service asks for it. */
export function SignInForm({ only, onSignedIn }: SignInFormProps) {
  const [name, setName] = useState(only ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFault(undefined);
    try {
      const body = { name: name.trim(), password, ...(needsCode && { code: code.trim() }) };
      await openApi.request('/api/session', { method: 'POST', body });
      await loadMe();
      onSignedIn?.();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'code_required') setNeedsCode(true);
      else setFault(error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <TextInput
          label={t.session.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          readOnly={only !== undefined}
          required
          {...(only === undefined && { autoFocus: true })}
        />
        <PasswordInput
          label={t.session.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
          required
          {...(only !== undefined && { 'data-autofocus': true })}
        />
        {needsCode && (
          <TextInput
            label={t.session.code}
            description={t.session.codeHint}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
            autoFocus
            required
          />
        )}
        <FaultText error={fault} />
        <Button type="submit" loading={isBusy} disabled={name.trim() === '' || password === ''} fullWidth>
          {t.session.signIn}
        </Button>
      </Stack>
    </form>
  );
}
