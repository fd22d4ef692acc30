import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { redactedNote } from '../../shell/redacted-note.js';
import { QueryView } from '../../shell/states/query-view.js';
import { useFields } from '../../shell/use-fields.js';
import { Facts } from '../parts/facts.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { accountPath } from './account.js';

interface Days {
  readonly textDays: number | null;
  readonly numberDays: number | null;
}

interface Retention extends Days {
  readonly operators: Days;
  readonly owners: Days;
}

interface Redacted {
  readonly sent: number;
  readonly received: number;
  readonly later: number;
  readonly isOver: boolean;
}

/** How long texts and numbers of an account are kept, and the redaction of a number. */
export function PrivacyPanel({ accountId }: { readonly accountId: string }) {
  const path = `${accountPath(accountId)}/retention`;
  const retention = usePolled<Retention>(path, { everyMs: SLOW_MS });
  const may = useMay();
  const [open, setOpen] = useState<'edit' | 'redact'>();
  const words = t.accounts.privacy;
  return (
    <QueryView query={retention}>
      {(data) => (
        <Stack gap="md" p="md">
          <Text size="sm">{words.about}</Text>
          <Facts
            facts={[
              [words.texts, daysOr(words.kept, data.textDays)],
              [words.numbers, daysOr(words.kept, data.numberDays)],
              [words.textsByOwner, daysOr(words.notSet, data.owners.textDays)],
              [words.numbersByOwner, daysOr(words.notSet, data.owners.numberDays)],
            ]}
          />
          <Group>
            {may('retention.set-account') && <Button onClick={() => setOpen('edit')}>{words.edit}</Button>}
            {may('redact.number') && (
              <Button variant="default" onClick={() => setOpen('redact')}>
                {words.redact}
              </Button>
            )}
          </Group>
          {open === 'edit' && <EditDays path={path} before={data.operators} onClose={() => setOpen(undefined)} />}
          {open === 'redact' && (
            <RedactNumber path={`${accountPath(accountId)}/redactions`} onClose={() => setOpen(undefined)} />
          )}
        </Stack>
      )}
    </QueryView>
  );
}

interface EditDaysProps {
  readonly path: string;
  readonly before: Days;
  readonly onClose: () => void;
}

/** An empty field follows the setting for all; 0 keeps for ever. */
function EditDays({ path, before, onClose }: EditDaysProps) {
  const words = t.accounts.privacy;
  const { fields, field, isChanged, hasChanges } = useFields({
    textDays: String(before.textDays ?? ''),
    numberDays: String(before.numberDays ?? ''),
  });
  const save = useAct({ isQuiet: true, onDone: onClose });
  const body = {
    ...(isChanged('textDays') && { textDays: daysOf(fields.textDays) }),
    ...(isChanged('numberDays') && { numberDays: daysOf(fields.numberDays) }),
  };
  return (
    <FormDialog
      isOpen
      title={words.edit}
      about={words.editAbout}
      act={t.save}
      isBusy={save.isPending}
      isReady={hasChanges && Object.values(fields).every((days) => /^[0-9]{0,5}$/.test(days.trim()))}
      error={save.error}
      labels={{ textDays: words.textDays, numberDays: words.numberDays }}
      onSubmit={() => save.mutate({ path, method: 'PATCH', body })}
      onClose={onClose}
    >
      <TextInput {...field('textDays', words.textDays)} inputMode="numeric" />
      <TextInput {...field('numberDays', words.numberDays)} inputMode="numeric" />
    </FormDialog>
  );
}

function RedactNumber({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const notices = useNotices();
  const words = t.accounts.privacy;
  const [number, setNumber] = useState('');
  const redact = useAct<Redacted>({
    isQuiet: true,
    onDone: ({ sent, received, later, isOver }) => {
      notices.done(redactedNote({ done: sent + received, later, isOver }));
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={words.redact}
      about={words.redactAbout}
      act={words.redact}
      isDangerous
      isBusy={redact.isPending}
      isReady={number.trim() !== ''}
      error={redact.error}
      labels={{ number: words.number }}
      onSubmit={() => redact.mutate({ path, method: 'POST', body: { number: number.trim() } })}
      onClose={onClose}
    >
      <TextInput
        label={words.number}
        value={number}
        inputMode="tel"
        required
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function daysOr(none: string, days: number | null): string {
  return days === null ? none : t.accounts.privacy.days(days);
}

function daysOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text.trim());
}
