import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MessageRedacted } from '#client';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { api } from '../session/api.js';
import { t } from '../words.js';

/** Removes the text and the number of a message. */
export function RedactMessage({ messageId }: { readonly messageId: string }) {
  const queries = useQueryClient();
  const notices = useNotices();
  const [isAsked, setIsAsked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const redact = async () => {
    setIsBusy(true);
    try {
      const path = `/v1/message/${messageId}/redact`;
      const { redacted } = await api.request<MessageRedacted>(path, { method: 'POST' });
      notices.done(redacted ? t.privacy.messageRedacted : t.privacy.messageLater);
    } catch (error) {
      notices.failed(error);
    }
    setIsBusy(false);
    setIsAsked(false);
    await queries.invalidateQueries();
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
