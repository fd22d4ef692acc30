import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DAY } from '../../shell/date-fields.js';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import { accountPath } from './account.js';

const SCOPES = Object.keys(t.accounts.scopeWords);

export function NewKey({ accountId, onClose }: { readonly accountId: string; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(SCOPES);
  const [networks, setNetworks] = useState('');
  const [expires, setExpires] = useState('');
  const [test, setTest] = useState(false);
  const addresses = networks.split(/[\s,]+/).filter((line) => line !== '');
  const make = useAct<{ readonly apiKey: string }>({ isQuiet: true });
  if (make.data !== undefined) {
    return <ShownOnce title={t.accounts.made} secret={make.data.apiKey} onClose={onClose} />;
  }
  return (
    <FormDialog
      isOpen
      title={t.accounts.newKeyTitle}
      act={t.accounts.make}
      isBusy={make.isPending}
      isReady={scopes.length > 0}
      error={make.error}
      labels={{ name: t.accounts.keyName, networks: t.accounts.networks, expiresAt: t.accounts.expiresOn }}
      onSubmit={() =>
        make.mutate({
          path: `${accountPath(accountId)}/keys`,
          body: {
            scopes,
            test,
            ...(name.trim() !== '' && { name: name.trim() }),
            ...(addresses.length > 0 && { networks: addresses }),
            ...(expires !== '' && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
          },
        })
      }
      onClose={onClose}
    >
      <TextInput
        label={t.accounts.keyName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        data-autofocus
      />
      <Checkbox.Group label={t.accounts.scopes} value={[...scopes]} onChange={setScopes}>
        <Stack gap="xs" mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope} value={scope} label={t.accounts.scopeWords[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Textarea
        label={t.accounts.networks}
        description={t.accounts.networksHint}
        value={networks}
        onChange={(event) => setNetworks(event.currentTarget.value)}
        rows={2}
        spellCheck={false}
      />
      <TextInput
        {...DAY}
        label={t.accounts.expiresOn}
        description={t.accounts.expiresHint}
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
      <Checkbox label={t.accounts.testKey} checked={test} onChange={(event) => setTest(event.currentTarget.checked)} />
    </FormDialog>
  );
}
