import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SuppressionAdded, SuppressionRemoved } from '#client';
import { faultsByField } from '../../shell/api/api-error.js';
import { useNotices } from '../../shell/frame/notices.js';
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
  const queries = useQueryClient();
  const notices = useNotices();
  const [number, setNumber] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFault(undefined);
    const recipient = number.trim();
    try {
      if (kind === 'add') {
        const body = { recipient };
        const { canceledMessages } = await api.request<SuppressionAdded>(path, { method: 'POST', body });
        notices.done(words.added(canceledMessages));
      } else {
        const itsPath = `${path}/${encodeURIComponent(recipient)}`;
        const { removed } = await api.request<SuppressionRemoved>(itsPath, { method: 'DELETE' });
        notices.done(removed ? words.removed : words.notThere);
      }
      await queries.invalidateQueries({ queryKey: [path] });
      onClose();
    } catch (error) {
      const { recipient: ofNumber } = faultsByField(error);
      if (ofNumber === undefined) notices.failed(error);
      setFault(ofNumber);
      setIsBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={kind === 'add' ? words.add : words.remove}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <Text size="sm">{kind === 'add' ? words.addAbout : words.removeAbout}</Text>
          <TextInput
            label={words.number}
            value={number}
            error={fault}
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
