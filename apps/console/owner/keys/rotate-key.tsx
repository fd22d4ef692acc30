import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey, RotatedApiKey } from '#client';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { MakeSecret } from '../parts/make-secret.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';

const DAY_SECONDS = 24 * 3_600;

interface RotateKeyProps {
  readonly apiKey: ApiKey;
  readonly name: string;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Makes a key like another one, which goes on working until the programs have the new one. */
export function RotateKey(props: RotateKeyProps) {
  const { made, copy } = t.keys;
  return (
    <MakeSecret<RotatedApiKey>
      onClose={props.onClose}
      form={(onMade) => <RotateForm {...props} onMade={onMade} />}
      secretOf={({ apiKey }) => apiKey}
      words={{ made, copy }}
    />
  );
}

interface RotateFormProps extends RotateKeyProps {
  readonly onMade: (key: RotatedApiKey) => void;
}

function RotateForm({ apiKey: { keyId }, name, isOwn, onMade, onClose }: RotateFormProps) {
  const [overlap, setOverlap] = useState(String(DAY_SECONDS));
  const { isBusy, send } = useSending();
  const submit = () => {
    const path = `/v1/account/keys/${keyId}/rotate`;
    const body = { overlapSeconds: Number(overlap) };
    void send(async () => onMade(await api.request<RotatedApiKey>(path, { method: 'POST', body })));
  };
  return (
    <FormDialog
      title={t.keys.rotateTitle(name)}
      about={t.keys.rotateAbout}
      act={t.keys.rotate}
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <NativeSelect
        label={t.keys.overlap}
        data={Object.entries(t.keys.overlaps).map(([value, label]) => ({ value, label }))}
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        data-autofocus
      />
      {isOwn && <Text size="sm">{t.keys.rotateOwn}</Text>}
    </FormDialog>
  );
}
