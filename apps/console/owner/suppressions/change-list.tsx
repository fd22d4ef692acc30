import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SuppressionAdded, SuppressionRemoved } from '#client';
import { useNotices } from '../../shell/frame/notices.js';
import { SendingDialog } from '../parts/sending-dialog.js';
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
  const [number, setNumber] = useState('');
  const { isBusy, faults, send } = useSending(['recipient']);
  const submit = () => {
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
    <SendingDialog
      title={kind === 'add' ? words.add : words.remove}
      about={kind === 'add' ? words.addAbout : words.removeAbout}
      act={kind === 'add' ? words.add : words.remove}
      isBusy={isBusy}
      isReady={number.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={words.number}
        value={number}
        error={faults.recipient}
        inputMode="tel"
        required
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
    </SendingDialog>
  );
}
