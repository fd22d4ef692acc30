import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AccountRetentionShown, NumberRedacted } from '#client';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { redactedNote } from '../../shell/redacted-note.js';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { QueryView } from '../../shell/states/query-view.js';
import { useFields } from '../../shell/use-fields.js';
import { NumberDialog } from '../parts/number-dialog.js';
import { useRead } from '../parts/use-api.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';

const RETENTION = '/v1/account/retention';
const REDACTIONS = '/v1/account/redactions';

/** How long texts and numbers are kept, and the redaction of a number. */
export function PrivacyPanel() {
  const { scopes, test: isTest } = useSession();
  const retention = useRead<AccountRetentionShown>(RETENTION);
  const [open, setOpen] = useState<'days' | 'number'>();
  const words = t.privacy;
  const close = () => setOpen(undefined);
  return (
    <Panel
      title={words.title}
      actions={
        scopes.includes('manage') && (
          <Group gap="xs">
            {!isTest && (
              <Button
                size="xs"
                variant="default"
                disabled={retention.data === undefined}
                onClick={() => setOpen('days')}
              >
                {words.change}
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => setOpen('number')}>
              {words.redact}
            </Button>
          </Group>
        )
      }
    >
      <QueryView query={retention}>
        {({ textDays, numberDays, own }) => (
          <>
            <Text size="sm">{textDays === null ? words.textsKept : words.textsGo(textDays)}</Text>
            <Text size="sm">{numberDays === null ? words.numbersKept : words.numbersGo(numberDays)}</Text>
            {open === 'days' && <DaysForm own={own} onClose={close} />}
          </>
        )}
      </QueryView>
      {open === 'number' && <NumberForm onClose={close} />}
    </Panel>
  );
}

interface DaysFormProps {
  readonly own: AccountRetentionShown['own'];
  readonly onClose: () => void;
}

function DaysForm({ own, onClose }: DaysFormProps) {
  const words = t.privacy;
  const { fields, field, isChanged, hasChanges } = useFields({
    textDays: String(own.textDays ?? ''),
    numberDays: String(own.numberDays ?? ''),
  });
  const notices = useNotices();
  const { isBusy, faults, send } = useSending(['textDays', 'numberDays']);
  const submit = () => {
    const body = {
      ...(isChanged('textDays') && { textDays: daysOf(fields.textDays) }),
      ...(isChanged('numberDays') && { numberDays: daysOf(fields.numberDays) }),
    };
    void send(async () => {
      await api.request<AccountRetentionShown>(RETENTION, { method: 'POST', body });
      notices.done(words.changed);
      onClose();
    });
  };
  return (
    <FormDialog
      title={words.change}
      about={words.changeAbout}
      act={words.save}
      isBusy={isBusy}
      isReady={hasChanges}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput {...field('textDays', words.textDays)} error={faults.textDays} inputMode="numeric" />
      <TextInput {...field('numberDays', words.numberDays)} error={faults.numberDays} inputMode="numeric" />
    </FormDialog>
  );
}

function NumberForm({ onClose }: { readonly onClose: () => void }) {
  const words = t.privacy;
  const notices = useNotices();
  const redact = async (recipient: string) => {
    const body = { recipient };
    const done = await api.request<NumberRedacted>(REDACTIONS, { method: 'POST', body });
    const { sentMessages: sent, receivedMessages: received, laterMessages: later, complete: isOver } = done;
    notices.done(redactedNote({ done: sent + received, later, isOver }));
  };
  const { redact: act, redactAbout: about, number: label } = words;
  return <NumberDialog act={act} about={about} label={label} isDangerous change={redact} onClose={onClose} />;
}

/** What is no number is refused by the API, with words. */
function daysOf(text: string): number | string | null {
  const days = text.trim();
  return days === '' ? null : /^[0-9]+$/.test(days) ? Number(days) : days;
}
