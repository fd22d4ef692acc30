import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';

/** Puts a number on the suppression list of an account. */
export function SuppressNumber({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const notices = useNotices();
  const words = t.accounts.guards;
  const [number, setNumber] = useState('');
  const [reason, setReason] = useState('');
  const add = useAct<{ readonly canceled: number }>({
    isQuiet: true,
    onDone: ({ canceled }) => {
      notices.done(words.suppressed(canceled));
      onClose();
    },
  });
  const given = reason.trim();
  return (
    <FormDialog
      isOpen
      title={words.suppress}
      about={words.suppressAbout}
      act={words.suppress}
      isBusy={add.isPending}
      isReady={number.trim() !== ''}
      error={add.error}
      labels={{ number: words.number, reason: words.reason }}
      onSubmit={() =>
        add.mutate({ path, method: 'POST', body: { number: number.trim(), ...(given !== '' && { reason: given }) } })
      }
      onClose={onClose}
    >
      <TextInput
        label={words.number}
        value={number}
        inputMode="tel"
        required
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
      <TextInput
        label={words.reason}
        value={reason}
        maxLength={200}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
