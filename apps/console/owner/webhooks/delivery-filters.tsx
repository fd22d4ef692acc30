import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DAY } from '../../shell/date-fields.js';
import { PANEL_SIDES } from '../../shell/frame/panel.js';
import { useTyped } from '../../shell/use-typed.js';
import { t } from '../words.js';
import { EVENTS } from './events.js';

export const DELIVERY_FILTERS = ['outcome', 'type', 'from', 'to'] as const;
type Filters = Readonly<Record<(typeof DELIVERY_FILTERS)[number], string>>;

interface DeliveryFiltersProps {
  readonly values: Filters;
  readonly faults: Readonly<Record<string, ReactNode>>;
  readonly onChange: (values: Partial<Filters>) => void;
}

/**
 * The filters of the delivery log. Days begin by the reader's clock, and count when they are submitted; what is chosen
 * counts at once.
 */
export function DeliveryFilters({ values, faults, onChange }: DeliveryFiltersProps) {
  const { filters, outcomes } = t.webhooks;
  const { submit, text, choice } = useTyped(values, onChange, faults);
  const oneOf = (name: 'outcome' | 'type', any: string, choices: readonly (readonly [string, string])[]) => (
    <NativeSelect
      {...choice(name, filters[name])}
      size="xs"
      data={[{ value: '', label: any }, ...choices.map(([value, label]) => ({ value, label }))]}
    />
  );
  return (
    <form onSubmit={submit} aria-label={filters.label}>
      <Group gap="sm" px={PANEL_SIDES} pb="sm" align="flex-end">
        {oneOf('outcome', filters.anyOutcome, Object.entries(outcomes))}
        {oneOf(
          'type',
          filters.anyType,
          [...EVENTS, 'webhook.test'].map((type) => [type, type] as const),
        )}
        <TextInput {...text('from', filters.from)} {...DAY} size="xs" />
        <TextInput {...text('to', filters.to)} {...DAY} size="xs" />
        <Button type="submit" size="xs" variant="default">
          {filters.apply}
        </Button>
      </Group>
    </form>
  );
}
