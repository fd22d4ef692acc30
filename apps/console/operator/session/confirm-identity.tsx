import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { t } from '../words.js';
import { read } from './api.js';
import { type Factor, identity } from './identity.js';

/** Asks for the second factor once more, over the page. */
export function ConfirmIdentity() {
  const question = useSyncExternalStore(identity.subscribe, identity.read);
  // The act behind a question is of the person who has signed out: the next one would do it, with another name.
  useEffect(() => () => identity.read()?.answer(false), []);
  return (
    <Modal
      opened={question !== undefined}
      onClose={() => question?.answer(false)}
      title={t.session.confirm.title}
      zIndex={300}
    >
      {question !== undefined && <FactorForm by={question.by} onAnswer={question.answer} />}
    </Modal>
  );
}

function FactorForm({ by, onAnswer }: { readonly by: Factor; readonly onAnswer: (isGiven: boolean) => void }) {
  const words = t.session.confirm[by];
  const [given, setGiven] = useState('');
  const [fault, setFault] = useState<ReactNode>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFault(undefined);
    try {
      // A password may end with a space.
      const body = { [by]: by === 'code' ? given.trim() : given };
      await read('/session/confirm', { method: 'POST', body });
      onAnswer(true);
    } catch (error) {
      setFault(<RefusalText error={error} own={{ sign_in_failed: words.wrong }} />);
      setIsBusy(false);
    }
  };
  const field = {
    value: given,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setGiven(event.currentTarget.value),
    error: fault,
    'data-autofocus': true,
    required: true,
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm">{words.about}</Text>
        {by === 'code' ? (
          <TextInput {...field} label={t.session.code} description={t.session.codeHint} autoComplete="one-time-code" />
        ) : (
          <PasswordInput
            {...field}
            label={t.session.password}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onAnswer(false)}>
            {t.session.confirm.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={given.trim() === ''}>
            {t.session.confirm.act}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
