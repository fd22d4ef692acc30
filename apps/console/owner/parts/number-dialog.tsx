import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { useSending } from './use-sending.js';

interface NumberDialogProps {
  /** Title and button. */
  readonly act: string;
  readonly about: string;
  /** Of the field. */
  readonly label: string;
  readonly isDangerous?: boolean;
  /** Does it to a number, and says so. */
  readonly change: (recipient: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for a number, and does something to it. */
export function NumberDialog({ act, about, label, isDangerous = false, change, onClose }: NumberDialogProps) {
  const [number, setNumber] = useState('');
  const { isBusy, faults, send } = useSending(['recipient']);
  const submit = () => {
    void send(async () => {
      await change(number.trim());
      onClose();
    });
  };
  return (
    <FormDialog
      title={act}
      about={about}
      act={act}
      isBusy={isBusy}
      isReady={number.trim() !== ''}
      isDangerous={isDangerous}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={label}
        value={number}
        error={faults.recipient}
        inputMode="tel"
        required
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
