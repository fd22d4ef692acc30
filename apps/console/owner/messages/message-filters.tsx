import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DAY } from '../../shell/date-fields.js';
import { Icon } from '../../shell/icons.js';
import { useTyped } from '../../shell/use-typed.js';
import { t } from '../words.js';
import classes from './message-filters.module.css';

export const FILTERS = ['status', 'recipient', 'from', 'to', 'reference', 'tag'] as const;
export type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

interface MessageFiltersProps {
  readonly values: Filters;
  readonly faults: Readonly<Record<string, ReactNode>>;
  readonly onChange: (values: Partial<Filters>) => void;
}

/**
 * The filters of the list. What is typed counts when it is submitted, and so does a day: at each key of its year there
 * is another one. What is chosen counts at once.
 */
export function MessageFilters({ values, faults, onChange }: MessageFiltersProps) {
  const { filters, status } = t.messages;
  const { submit, clear, text, choice } = useTyped(values, onChange, faults);
  const isFiltered = FILTERS.some((name) => values[name] !== '');
  return (
    <form onSubmit={submit} aria-label={filters.label} className={classes.form}>
      <div className={classes.fields}>
        <NativeSelect
          {...choice('status', filters.status)}
          data={[
            { value: '', label: filters.anyStatus },
            ...Object.entries(status).map(([value, label]) => ({ value, label })),
          ]}
        />
        <TextInput {...text('recipient', filters.recipient)} placeholder="+49 170 …" />
        <TextInput {...text('from', filters.from)} {...DAY} />
        <TextInput {...text('to', filters.to)} {...DAY} />
        <TextInput {...text('reference', filters.reference)} />
        <TextInput {...text('tag', filters.tag)} />
      </div>
      <Group gap="xs">
        <Button type="submit" variant="default" leftSection={<Icon name="search" size={16} />}>
          {filters.apply}
        </Button>
        {isFiltered && (
          <Button variant="subtle" onClick={clear}>
            {filters.clear}
          </Button>
        )}
      </Group>
    </form>
  );
}
