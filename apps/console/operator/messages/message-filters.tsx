import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { t } from '../words.js';

export const FILTERS = ['account', 'recipient', 'state', 'carrier', 'reference', 'since', 'until', 'test'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

interface MessageFiltersProps {
  readonly values: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
}

/** The filters are in the address, and count when the form is sent. */
export function MessageFilters({ values, onChange }: MessageFiltersProps) {
  const [typed, setTyped] = useState(values);
  useEffect(() => setTyped(values), [values]);
  const field = (name: keyof Filters, label: string) => ({
    label,
    size: 'xs' as const,
    value: typed[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: event.currentTarget.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ ...typed, recipient: typed.recipient.trim(), account: typed.account.trim() });
  };
  const choose = (name: 'state' | 'test') => (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange({ ...typed, [name]: event.currentTarget.value });
  return (
    <form onSubmit={submit} aria-label={t.messages.title}>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm" px="lg" pt="md" pb="xs">
        <TextInput {...field('recipient', t.messages.recipient)} inputMode="tel" placeholder="+46701234567" />
        <NativeSelect
          {...field('state', t.messages.state)}
          onChange={choose('state')}
          data={[
            { value: '', label: t.any },
            ...Object.entries(t.messages.states).map(([value, label]) => ({ value, label })),
          ]}
        />
        <TextInput {...field('account', t.messages.account)} inputMode="numeric" />
        <TextInput {...field('carrier', t.messages.carrier)} spellCheck={false} autoCapitalize="none" />
        <TextInput {...field('reference', t.messages.reference)} spellCheck={false} />
        <TextInput {...field('since', t.messages.since)} type="datetime-local" />
        <TextInput {...field('until', t.messages.until)} type="datetime-local" />
        <NativeSelect
          {...field('test', t.messages.test)}
          onChange={choose('test')}
          data={[
            { value: '', label: t.no },
            { value: 'true', label: t.yes },
          ]}
        />
        <Button type="submit" size="xs" variant="default" style={{ alignSelf: 'end' }}>
          {t.filter}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          style={{ alignSelf: 'end' }}
          onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, ''])) as Filters)}
        >
          {t.clear}
        </Button>
      </SimpleGrid>
    </form>
  );
}

/** What a field of the reader's own time says, as the API wants it; undefined if it is empty. */
export function instantOf(local: string): string | undefined {
  const moment = new Date(local);
  return local === '' || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
