import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import type { Role } from '../session/session.js';
import { t } from '../words.js';
import type { NewPassword } from './operator.js';
import { RoleChoice } from './role-choice.js';

interface AddPersonProps {
  readonly onMade: (made: NewPassword) => void;
  readonly onClose: () => void;
}

export function AddPerson({ onMade, onClose }: AddPersonProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const add = useAct<NewPassword>({
    isQuiet: true,
    onDone: (made) => {
      onMade(made);
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={t.people.addTitle}
      act={t.people.add}
      isBusy={add.isPending}
      isReady={name.trim() !== ''}
      error={add.error}
      labels={{ name: t.people.name }}
      onSubmit={() => add.mutate({ path: '/operators', body: { name: name.trim(), role } })}
      onClose={onClose}
    >
      <TextInput
        label={t.people.name}
        description={t.people.nameHint}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        required
      />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}
