import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { Icon } from '../../shell/icons.js';
import { t } from '../words.js';
import classes from './message-filters.module.css';

export const FILTERS = ['status', 'recipient', 'from', 'to', 'reference', 'tag'] as const;
export type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

interface MessageFiltersProps {
  readonly values: Filters;
  readonly onChange: (values: Partial<Filters>) => void;
}

/** The filters of the list. What is typed counts when it is submitted; what is chosen counts at once. */
export function MessageFilters({ values, onChange }: MessageFiltersProps) {
  const { filters, status } = t.messages;
  const [typed, setTyped] = useState(values);
  useEffect(() => setTyped(values), [values]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ ...typed, recipient: typed.recipient.trim() });
  };
  const text = (name: 'recipient' | 'reference' | 'tag', placeholder?: string) => (
    <TextInput
      label={filters[name]}
      value={typed[name]}
      placeholder={placeholder ?? ''}
      onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
    />
  );
  const day = (name: 'from' | 'to') => (
    <TextInput
      type="date"
      label={filters[name]}
      value={typed[name]}
      onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
    />
  );
  const isFiltered = FILTERS.some((name) => values[name] !== '');
  return (
    <form onSubmit={submit} aria-label={filters.label} className={classes.form}>
      <div className={classes.fields}>
        <NativeSelect
          label={filters.status}
          value={typed.status}
          onChange={(event) => onChange({ ...typed, status: event.currentTarget.value })}
          data={[
            { value: '', label: filters.anyStatus },
            ...Object.entries(status).map(([value, label]) => ({ value, label })),
          ]}
        />
        {text('recipient', '+49 170 …')}
        {day('from')}
        {day('to')}
        {text('reference')}
        {text('tag')}
      </div>
      <Group gap="xs">
        <Button type="submit" variant="default" leftSection={<Icon name="search" size={16} />}>
          {filters.apply}
        </Button>
        {isFiltered && (
          <Button
            variant="subtle"
            onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, ''])) as Filters)}
          >
            {filters.clear}
          </Button>
        )}
      </Group>
    </form>
  );
}
