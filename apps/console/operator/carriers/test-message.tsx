import { Anchor, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import { pathOf } from './carrier.js';

/** Sends one message by a carrier alone. */
export function TestMessage({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [recipient, setRecipient] = useState('');
  const [text, setText] = useState('');
  const send = useAct<{ readonly messageId: string }>({ isQuiet: true });
  return (
    <FormDialog
      isOpen
      title={t.carriers.testTitle(name)}
      about={t.carriers.testAbout}
      act={t.carriers.send}
      isBusy={send.isPending}
      isReady={recipient.trim() !== ''}
      error={send.error}
      labels={{ recipient: t.carriers.recipient, text: t.carriers.text }}
      onSubmit={() =>
        send.mutate({
          path: `${pathOf(name)}/test`,
          body: { recipient: recipient.trim(), ...(text !== '' && { text }) },
        })
      }
      onClose={onClose}
    >
      <TextInput
        label={t.carriers.recipient}
        placeholder="+46701234567"
        value={recipient}
        onChange={(event) => setRecipient(event.currentTarget.value)}
        inputMode="tel"
        data-autofocus
        required
      />
      <Textarea
        label={t.carriers.text}
        description={t.carriers.textHint}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rows={3}
      />
      <div role="status">
        {send.data !== undefined && (
          <Text size="sm">
            {t.carriers.sent}{' '}
            <Anchor component={Link} href={`/messages/${send.data.messageId}`} size="sm">
              {t.carriers.follow}
            </Anchor>
          </Text>
        )}
      </div>
    </FormDialog>
  );
}
