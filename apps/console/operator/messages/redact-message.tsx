import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';

/** Removes the text and the number of a message. */
export function RedactMessage({ id }: { readonly id: string }) {
  const notices = useNotices();
  const [isAsking, setAsking] = useState(false);
  const redact = useAct<{ readonly outcome: 'redacted' | 'later' }>({
    onDone: ({ outcome }) => {
      setAsking(false);
      notices.done(t.messages.redactDone[outcome]);
    },
  });
  return (
    <div>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t.messages.redact}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.messages.redactTitle}
        act={t.messages.redact}
        isDangerous
        isBusy={redact.isPending}
        onConfirm={() => redact.mutate({ path: `/messages/${id}/redact` })}
        onClose={() => setAsking(false)}
      >
        {t.messages.redactAbout}
      </ConfirmDialog>
    </div>
  );
}
