import { Button, Checkbox, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { WebhookWithSecret } from '#client';
import { MakeSecret } from '../parts/make-secret.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';
import { EVENTS } from './events.js';

const USUAL = ['message.delivered', 'message.undelivered', 'message.failed'];

interface MakeWebhookProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function MakeWebhook({ isOpen, onClose }: MakeWebhookProps) {
  return (
    <MakeSecret<WebhookWithSecret>
      isOpen={isOpen}
      onClose={onClose}
      title={t.webhooks.make}
      form={(onMade) => <WebhookForm onMade={onMade} />}
      secretOf={({ secret }) => secret}
      words={{
        made: t.webhooks.secretTitle,
        about: t.webhooks.secretAbout,
        copy: t.webhooks.copySecret,
      }}
    />
  );
}

function WebhookForm({ onMade }: { readonly onMade: (webhook: WebhookWithSecret) => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<string[]>(USUAL);
  const { isBusy, faults, send } = useSending(['url', 'description', 'events']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { url: url.trim(), events, ...(description !== '' && { description }) };
    void send(async () => onMade(await api.request<WebhookWithSecret>('/v1/webhooks', { method: 'POST', body })));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
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
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={url.trim() === '' || events.length === 0}>
            {t.webhooks.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
