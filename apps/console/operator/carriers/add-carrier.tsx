import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import type { CarrierChanged } from './carrier.js';

interface AddCarrierProps {
  readonly onClose: () => void;
  readonly onNotes: (notes: readonly string[]) => void;
}

export function AddCarrier({ onClose, onNotes }: AddCarrierProps) {
  const notices = useNotices();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [password, setPassword] = useState('');
  const [paused, setPaused] = useState(true);
  const [simulator, setSimulator] = useState(false);
  const add = useAct<CarrierChanged>({
    isQuiet: true,
    onDone: ({ notes }) => {
      onNotes(notes);
      notices.done(t.carriers.addedDone(name));
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={t.carriers.add}
      act={t.carriers.add}
      isBusy={add.isPending}
      isReady={name.trim() !== '' && url.trim() !== ''}
      error={add.error}
      labels={{ name: t.carriers.name, url: t.carriers.url, password: t.carriers.password }}
      onSubmit={() =>
        add.mutate({
          path: '/carriers',
          body: {
            name: name.trim(),
            url: url.trim(),
            paused,
            ...(simulator && { simulator }),
            ...(password !== '' && { password }),
          },
        })
      }
      onClose={onClose}
    >
      <TextInput
        label={t.carriers.name}
        description={t.carriers.nameHint}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        spellCheck={false}
        autoCapitalize="none"
        data-autofocus
        required
      />
      <TextInput
        label={t.carriers.url}
        description={t.carriers.urlHint}
        placeholder="smpps://user@smpp.acme.example:3550"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        spellCheck={false}
        autoCapitalize="none"
        required
      />
      <PasswordInput
        label={t.carriers.password}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
      />
      <Checkbox
        label={t.carriers.startPaused}
        checked={paused}
        onChange={(event) => setPaused(event.currentTarget.checked)}
      />
      <Checkbox
        label={t.carriers.isSimulator}
        checked={simulator}
        onChange={(event) => setSimulator(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
