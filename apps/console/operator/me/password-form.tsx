import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FaultText } from '../../shell/states/fault-text.js';
import { read } from '../session/api.js';
import { t } from '../words.js';

const LENGTH_MIN = 12;

/** Changes the password of the person that is signed in. */
export function PasswordForm({ onChanged }: { readonly onChanged: () => void }) {
  const [password, setPassword] = useState('');
  const [wanted, setWanted] = useState('');
  const [again, setAgain] = useState('');
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const isShort = wanted !== '' && wanted.length < LENGTH_MIN;
  const isOther = again !== '' && again !== wanted;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFault(undefined);
    try {
      await read('/me/password', { method: 'PUT', body: { password, newPassword: wanted } });
      setPassword('');
      setWanted('');
      setAgain('');
      onChanged();
    } catch (error) {
      setFault(error);
    } finally {
      setIsBusy(false);
    }
  };
  const toggle = { 'aria-label': t.session.showPassword };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <PasswordInput
          label={t.me.password.now}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          visibilityToggleButtonProps={toggle}
          required
        />
        <PasswordInput
          label={t.me.password.next}
          description={t.me.password.hint(LENGTH_MIN)}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          error={isShort ? t.me.password.short(LENGTH_MIN) : undefined}
          autoComplete="new-password"
          visibilityToggleButtonProps={toggle}
          required
        />
        <PasswordInput
          label={t.me.password.again}
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
          error={isOther ? t.me.password.other : undefined}
          autoComplete="new-password"
          visibilityToggleButtonProps={toggle}
          required
        />
        <FaultText error={fault} own={{ sign_in_failed: t.me.password.wrong }} />
        <Button
          type="submit"
          loading={isBusy}
          disabled={password === '' || wanted.length < LENGTH_MIN || wanted !== again}
        >
          {t.me.password.act}
        </Button>
      </Stack>
    </form>
  );
}
