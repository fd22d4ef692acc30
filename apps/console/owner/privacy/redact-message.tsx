import { Button } from '@mantine/core';
import { useState } from 'react';
import type { MessageRedacted } from '#client';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';

/** Removes the text and the number of a message. */
export function RedactMessage({ messageId }: { readonly messageId: string }) {
  const notices = useNotices();
  const [isAsked, setIsAsked] = useState(false);
  const { isBusy, send } = useSending();
  const redact = async () => {
    await send(async () => {
      const path = `/v1/message/${messageId}/redact`;
      const { redacted } = await api.request<MessageRedacted>(path, { method: 'POST' });
      notices.done(redacted ? t.privacy.messageRedacted : t.privacy.messageLater);
    });
    setIsAsked(false);
  };
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        {t.privacy.redactMessage}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={t.privacy.redactTitle}
        act={t.privacy.redactMessage}
        isDangerous
        isBusy={isBusy}
        onConfirm={() => void redact()}
        onClose={() => setIsAsked(false)}
      >
        {t.privacy.redactMessageAbout}
      </ConfirmDialog>
    </>
  );
}
