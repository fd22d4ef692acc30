import { Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOMENT } from '../../shell/date-fields.js';
import { formatTime } from '../../shell/format-times.js';
import { zone } from '../../shell/locale.js';
import { useSession } from '../session/use-session.js';
import classes from './option-fields.module.css';
import { sendAtFault } from './send-at.js';
import { s } from './words.js';

/** What may be chosen for a send beside its texts. */
export interface SendChoices {
  /** Empty: the account's. */
  readonly sender: string;
  /** As a field of the browser writes it, in local time; empty: at once. */
  readonly sendAt: string;
  readonly isLater: boolean;
}

export const NO_CHOICES: SendChoices = { sender: '', sendAt: '', isLater: false };

interface OptionFieldsProps {
  readonly choices: SendChoices;
  readonly onChange: (choices: SendChoices) => void;
  /** What the service says is wrong, by field. */
  readonly faults?: Readonly<Record<string, ReactNode>>;
}

export function OptionFields({ choices, onChange, faults = {} }: OptionFieldsProps) {
  const { senders = [] } = useSession();
  const { sender, sendAt, isLater } = choices;
  const fault = isLater ? sendAtFault(sendAt, Date.now()) : undefined;
  return (
    <Stack gap="md">
      {senders.length > 0 && (
        <Select
          label={s.sender.label}
          description={s.sender.hint}
          data={[{ value: '', label: s.sender.own }, ...senders]}
          value={sender}
          allowDeselect={false}
          classNames={{ wrapper: classes.field ?? '', input: classes.input ?? '' }}
          onChange={(next) => onChange({ ...choices, sender: next ?? '' })}
          error={faults.sender}
        />
      )}
      <Radio.Group
        label={s.when.label}
        value={isLater ? 'later' : 'now'}
        onChange={(next) => onChange({ ...choices, isLater: next === 'later' })}
      >
        <Group gap="lg" mt={6}>
          <Radio value="now" label={s.when.now} />
          <Radio value="later" label={s.when.later} />
        </Group>
      </Radio.Group>
      {isLater && (
        <TextInput
          {...MOMENT}
          label={s.when.time}
          description={s.when.hint(zone)}
          value={sendAt}
          onChange={(event) => onChange({ ...choices, sendAt: event.currentTarget.value })}
          error={faults.sendAt ?? (sendAt === '' || fault === undefined ? undefined : s.when[fault])}
          classNames={{ wrapper: classes.field ?? '', input: classes.input ?? '' }}
          required
        />
      )}
      {isLater && sendAt !== '' && fault === undefined && (
        <Text size="sm" c="dimmed">
          {s.when.means(formatTime(sendAt))}
        </Text>
      )}
    </Stack>
  );
}
