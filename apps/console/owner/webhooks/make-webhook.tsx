import { Checkbox, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { WebhookWithSecret } from '#client';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { MakeSecret } from '../parts/make-secret.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';
import { EVENTS } from './events.js';

const USUAL = ['message.delivered', 'message.undelivered', 'message.failed'];

export function MakeWebhook({ onClose }: { readonly onClose: () => void }) {
  return (
    <MakeSecret<WebhookWithSecret>
      onClose={onClose}
      form={(onMade) => <WebhookForm onMade={onMade} onClose={onClose} />}
      secretOf={({ secret }) => secret}
      words={{
        made: t.webhooks.secretTitle,
        about: t.webhooks.secretAbout,
        copy: t.webhooks.copySecret,
      }}
    />
  );
}

interface WebhookFormProps {
  readonly onMade: (webhook: WebhookWithSecret) => void;
  readonly onClose: () => void;
}

function WebhookForm({ onMade, onClose }: WebhookFormProps) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<string[]>(USUAL);
  const { isBusy, faults, send } = useSending(['url', 'description', 'events']);
  const submit = () => {
    const body = { url: url.trim(), events, ...(description !== '' && { description }) };
    void send(async () => onMade(await api.request<WebhookWithSecret>('/v1/webhooks', { method: 'POST', body })));
  };
  return (
    <FormDialog
      title={t.webhooks.make}
      act={t.webhooks.make}
      isBusy={isBusy}
      isReady={url.trim() !== '' && events.length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={t.webhooks.url}
        description={t.webhooks.urlHint}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={faults.url}
        required
        data-autofocus
      />
      <TextInput
        label={t.webhooks.description}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={faults.description}
      />
      <Checkbox.Group label={t.webhooks.events} value={events} onChange={setEvents} error={faults.events}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
          {EVENTS.map((event) => (
            <Checkbox key={event} value={event} label={event} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </FormDialog>
  );
}
