import { Group, NativeSelect, TextInput } from '@mantine/core';
import { t } from '../words.js';
import { EVENTS } from './events.js';

export const DELIVERY_FILTERS = ['outcome', 'type', 'from', 'to'] as const;
type Filters = Readonly<Record<(typeof DELIVERY_FILTERS)[number], string>>;

interface DeliveryFiltersProps {
  readonly values: Filters;
  readonly onChange: (values: Partial<Filters>) => void;
}

/** The filters of the delivery log. Days begin in UTC, as the API reads them. */
export function DeliveryFilters({ values, onChange }: DeliveryFiltersProps) {
  const { filters, outcomes } = t.webhooks;
  const choice = (name: 'outcome' | 'type', any: string, choices: readonly (readonly [string, string])[]) => (
    <NativeSelect
      label={filters[name]}
      size="xs"
      data={[{ value: '', label: any }, ...choices.map(([value, label]) => ({ value, label }))]}
      value={values[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  const day = (name: 'from' | 'to') => (
    <TextInput
      type="date"
      label={filters[name]}
      size="xs"
      value={values[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Group gap="sm" px="lg" pb="sm">
      {choice('outcome', filters.anyOutcome, Object.entries(outcomes))}
      {choice(
        'type',
        filters.anyType,
        [...EVENTS, 'webhook.test'].map((type) => [type, type] as const),
      )}
      {day('from')}
      {day('to')}
    </Group>
  );
}
