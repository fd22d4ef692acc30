import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatMoney } from '../../shell/format-numbers.js';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { words } from '../../shell/words.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import type { MessageDetails } from './message.js';

export function CancelMessage({ message: { id, amount, currency } }: { readonly message: MessageDetails }) {
  const notices = useNotices();
  const [isAsking, setAsking] = useState(false);
  const cancel = useAct<{ readonly canceled: number; readonly released: string }>({
    onDone: ({ canceled, released }) => {
      setAsking(false);
      notices.done(canceled > 0 ? t.messages.canceled(formatMoney(released, currency)) : t.messages.notCanceled);
    },
  });
  return (
    <div>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t.messages.cancel}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.messages.cancelTitle}
        act={t.messages.cancel}
        back={words.confirm.keep}
        isDangerous
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate({ path: `/messages/${id}/cancel` })}
        onClose={() => setAsking(false)}
      >
        {t.messages.cancelAbout(formatMoney(amount, currency))}
      </ConfirmDialog>
    </div>
  );
}
