import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOMENT } from '../../shell/date-fields.js';
import { PANEL_SIDES } from '../../shell/frame/panel.js';
import { useTyped } from '../../shell/use-typed.js';
import { t } from '../words.js';

export const FILTERS = ['account', 'recipient', 'state', 'carrier', 'reference', 'since', 'until', 'test'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

interface MessageFiltersProps {
  readonly values: Filters;
  readonly faults: Readonly<Record<string, ReactNode>>;
  readonly onChange: (changes: Partial<Filters>) => void;
}

/** The filters are in the address, and count when the form is sent. */
export function MessageFilters({ values, faults, onChange }: MessageFiltersProps) {
  const { submit, clear, text, choice } = useTyped(values, onChange, faults);
  return (
    <form onSubmit={submit} aria-label={t.messages.title}>
      <SimpleGrid cols={{ base: 2, xs: 3, lg: 5 }} spacing="sm" px={PANEL_SIDES} pt="md" pb="xs">
        <TextInput {...text('recipient', t.messages.recipient)} size="xs" inputMode="tel" placeholder="+46701234567" />
        <NativeSelect
          {...choice('state', t.messages.state)}
          size="xs"
          data={[
            { value: '', label: t.any },
            ...Object.entries(t.messages.states).map(([value, label]) => ({ value, label })),
          ]}
        />
        <TextInput {...text('account', t.messages.account)} size="xs" inputMode="numeric" />
        <TextInput {...text('carrier', t.messages.carrier)} size="xs" spellCheck={false} autoCapitalize="none" />
        <TextInput {...text('reference', t.messages.reference)} size="xs" spellCheck={false} />
        <TextInput {...text('since', t.messages.since)} size="xs" {...MOMENT} />
        <TextInput {...text('until', t.messages.until)} size="xs" {...MOMENT} />
        <NativeSelect
          {...choice('test', t.messages.test)}
          size="xs"
          data={[
            { value: '', label: t.no },
            { value: 'true', label: t.yes },
          ]}
        />
        <Button type="submit" size="xs" variant="default" style={{ alignSelf: 'end' }}>
          {t.filter}
        </Button>
        <Button size="xs" variant="subtle" color="gray" px={4} style={{ alignSelf: 'end' }} onClick={clear}>
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
