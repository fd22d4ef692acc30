import { Checkbox, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CreatedApiKey } from '#client';
import { DAY } from '../../shell/date-fields.js';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { MakeSecret } from '../parts/make-secret.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import type { Scope } from '../session/session.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';

export function MakeKey({ onClose }: { readonly onClose: () => void }) {
  return (
    <MakeSecret<CreatedApiKey>
      onClose={onClose}
      form={(onMade) => <KeyForm onMade={onMade} onClose={onClose} />}
      secretOf={({ apiKey }) => apiKey}
      words={{ made: t.keys.made, copy: t.keys.copy }}
    />
  );
}

interface KeyFormProps {
  readonly onMade: (key: CreatedApiKey) => void;
  readonly onClose: () => void;
}

function KeyForm({ onMade, onClose }: KeyFormProps) {
  const session = useSession();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['send']);
  const [networks, setNetworks] = useState('');
  const [expires, setExpires] = useState('');
  const [isTest, setIsTest] = useState(session.test);
  const { isBusy, faults, send } = useSending(['name', 'scopes', 'networks', 'expiresAt']);
  const submit = () => {
    const addresses = networks.split(/[\s,]+/).filter((line) => line !== '');
    const body = {
      name: name.trim(),
      scopes,
      ...(addresses.length > 0 && { networks: addresses }),
      ...(expires !== '' && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
      ...(isTest && { test: true }),
    };
    void send(async () => onMade(await api.request<CreatedApiKey>('/v1/account/keys', { method: 'POST', body })));
  };
  return (
    <FormDialog
      title={t.keys.make}
      act={t.keys.make}
      isBusy={isBusy}
      isReady={name.trim() !== '' && scopes.length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={t.keys.name}
        description={t.keys.nameHint}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faults.name}
        required
        data-autofocus
      />
      <Checkbox.Group label={t.keys.may} value={scopes} onChange={setScopes} error={faults.scopes}>
        <Stack gap="xs" mt={6}>
          {session.scopes.map((scope: Scope) => (
            <Checkbox key={scope} value={scope} label={t.keys.scopeMeans[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Textarea
        label={t.keys.networks}
        description={t.keys.networksHint}
        value={networks}
        onChange={(event) => setNetworks(event.currentTarget.value)}
        error={faults.networks}
        rows={2}
      />
      <TextInput
        {...DAY}
        label={t.keys.expires}
        description={t.keys.expiresHint}
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
        error={faults.expiresAt}
      />
      {!session.test && (
        <Switch label={t.keys.testKey} checked={isTest} onChange={(event) => setIsTest(event.currentTarget.checked)} />
      )}
    </FormDialog>
  );
}
