import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SuppressionAdded, SuppressionRemoved } from '#client';
import { useNotices } from '../../shell/frame/notices.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';

interface ChangeListProps {
  readonly kind: 'add' | 'remove';
  readonly path: string;
  readonly onClose: () => void;
}

/** Puts a number on the list, or takes it off. */
export function ChangeList({ kind, path, onClose }: ChangeListProps) {
  const words = t.suppressions;
  const notices = useNotices();
  useFocusBack();
  const [number, setNumber] = useState('');
  const { isBusy, faults, send } = useSending(['recipient']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const recipient = number.trim();
    void send(async () => {
      if (kind === 'add') {
        const body = { recipient };
        const { canceledMessages } = await api.request<SuppressionAdded>(path, { method: 'POST', body });
        notices.done(words.added(canceledMessages));
      } else {
        const itsPath = `${path}/${encodeURIComponent(recipient)}`;
        const { removed } = await api.request<SuppressionRemoved>(itsPath, { method: 'DELETE' });
        notices.done(removed ? words.removed : words.notThere);
      }
      onClose();
    });
  };
  return (
    <Modal opened onClose={onClose} title={kind === 'add' ? words.add : words.remove}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{kind === 'add' ? words.addAbout : words.removeAbout}</Text>
          <TextInput
            label={words.number}
            value={number}
            error={faults.recipient}
            inputMode="tel"
            required
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy} disabled={number.trim() === ''}>
              {kind === 'add' ? words.add : words.remove}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
