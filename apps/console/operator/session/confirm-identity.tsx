import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { t } from '../words.js';
import { openApi } from './api.js';
import { type Factor, identity } from './identity.js';

/** Asks for the second factor once more, over the page. */
export function ConfirmIdentity() {
  const question = useSyncExternalStore(identity.subscribe, identity.read);
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
  const [given, setGiven] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFault(undefined);
    try {
      await openApi.request('/api/session/confirm', { method: 'POST', body: { [by]: given.trim() } });
      onAnswer(true);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  const Input = by === 'code' ? TextInput : PasswordInput;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm">{t.session.confirm.about}</Text>
        <Input
          label={by === 'code' ? t.session.code : t.session.password}
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
          error={fault}
          autoComplete={by === 'code' ? 'one-time-code' : 'current-password'}
          data-autofocus
          required
        />
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
