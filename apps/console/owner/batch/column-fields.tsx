import { Button, Checkbox, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useRef } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import optionClasses from '../sending/option-fields.module.css';
import { s } from '../sending/words.js';
import type { Layout, Plan } from './plan.js';
import { RowPreview } from './row-preview.js';
import { b } from './words.js';

interface ColumnFieldsProps {
  readonly layout: Layout;
  readonly plan: Plan;
  /** Whether there are numbers without a country code. */
  readonly needsCountry: boolean;
  readonly onChange: (changes: Partial<Layout>) => void;
}

/** How the rows of the file become messages. */
export function ColumnFields({ layout, plan, needsCountry, onChange }: ColumnFieldsProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { columns, unknown } = plan;
  const { hasHeader, recipient, template, countryCode } = layout;
  const insert = (name: string) => {
    const { selectionStart = template.length, selectionEnd = template.length } = field.current ?? {};
    onChange({ template: `${template.slice(0, selectionStart)}{${name}}${template.slice(selectionEnd)}` });
    field.current?.focus();
  };
  return (
    <Panel title={b.columns.title}>
      <Stack gap="md">
        <Checkbox
          label={b.columns.header}
          description={b.columns.rows(s.rows(plan.rows.length, formatCount(plan.rows.length)))}
          checked={hasHeader}
          onChange={(event) => onChange({ hasHeader: event.currentTarget.checked })}
        />
        <Group gap="md" align="flex-start" grow preventGrowOverflow={false}>
          <Select
            label={b.columns.recipient}
            placeholder={b.columns.choose}
            data={columns.map((name, index) => ({ value: String(index), label: name }))}
            value={recipient === undefined ? null : String(recipient)}
            onChange={(value) => onChange({ recipient: value === null ? undefined : Number(value) })}
            allowDeselect={false}
            searchable={columns.length > 8}
            miw="14rem"
            required
          />
          {(needsCountry || countryCode !== '') && (
            <TextInput
              label={b.columns.countryCode}
              description={b.columns.countryHint}
              value={countryCode}
              onChange={(event) => onChange({ countryCode: event.currentTarget.value.replace(/[^\d+]/g, '') })}
              inputMode="numeric"
              maxLength={5}
              placeholder="46"
              miw="14rem"
            />
          )}
        </Group>
        <div>
          <Textarea
            ref={field}
            label={b.columns.text}
            description={b.columns.textHint}
            placeholder={b.columns.placeholder}
            value={template}
            onChange={(event) => onChange({ template: event.currentTarget.value })}
            error={unknown.length > 0 ? b.columns.unknown(unknown.join(', ')) : undefined}
            autosize
            minRows={2}
            maxRows={10}
            classNames={{ input: optionClasses.input ?? '' }}
            required
          />
          <Group gap={6} mt={8}>
            <Text size="sm" c="dimmed">
              {b.columns.insert}
            </Text>
            {columns.map((name, index) => (
              <Button
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place.
                key={index}
                size="compact-sm"
                variant="default"
                maw="100%"
                aria-label={b.columns.insertLabel(name)}
                onClick={() => insert(name)}
              >
                <Text component="span" inherit truncate>
                  {name}
                </Text>
              </Button>
            ))}
          </Group>
        </div>
        <RowPreview plan={plan} label={`${b.columns.preview} (${formatCount(plan.rows.length)})`} />
      </Stack>
    </Panel>
  );
}
