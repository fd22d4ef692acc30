import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ApiKey, RotatedApiKey } from '#client';
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
export function RotateKey({ apiKey: { keyId }, name, isOwn, onClose }: RotateKeyProps) {
  const { made, copy } = t.keys;
  return (
    <MakeSecret<RotatedApiKey>
      isOpen
      onClose={onClose}
      title={t.keys.rotateTitle(name)}
      form={(onMade) => <RotateForm keyId={keyId} isOwn={isOwn} onMade={onMade} />}
      secretOf={({ apiKey }) => apiKey}
      words={{ made, copy }}
    />
  );
}

interface RotateFormProps {
  readonly keyId: string;
  readonly isOwn: boolean;
  readonly onMade: (key: RotatedApiKey) => void;
}

function RotateForm({ keyId, isOwn, onMade }: RotateFormProps) {
  const [overlap, setOverlap] = useState(String(DAY_SECONDS));
  const { isBusy, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const path = `/v1/account/keys/${keyId}/rotate`;
    const body = { overlapSeconds: Number(overlap) };
    void send(async () => onMade(await api.request<RotatedApiKey>(path, { method: 'POST', body })));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.keys.rotateAbout}</Text>
        <NativeSelect
          label={t.keys.overlap}
          data={Object.entries(t.keys.overlaps).map(([value, label]) => ({ value, label }))}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data-autofocus
        />
        {isOwn && <Text size="sm">{t.keys.rotateOwn}</Text>}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t.keys.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
