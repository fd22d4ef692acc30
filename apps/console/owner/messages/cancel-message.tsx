import type { CancelResult } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { words } from '../../shell/words.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { t } from '../words.js';

interface CancelMessageProps {
  /** Undefined: nobody has asked. */
  readonly message: { readonly id: string; readonly amount: number; readonly currency: string } | undefined;
  readonly onClose: () => void;
}

/** Asks whether a message shall be stopped, with the money that comes back. */
export function CancelMessage({ message, onClose }: CancelMessageProps) {
  const notices = useNotices();
  const { isBusy, send } = useSending();
  const cancel = async () => {
    await send(async () => {
      const answer = await api.request<CancelResult>(`/v1/message/${message?.id}/cancel`, { method: 'POST' });
      notices.done(t.message.canceled(formatMoney(answer.balanceReleased, answer.currency)));
    });
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={message !== undefined}
      title={t.message.cancelTitle}
      act={t.message.cancel}
      back={words.confirm.keep}
      isDangerous
      isBusy={isBusy}
      onConfirm={() => void cancel()}
      onClose={onClose}
    >
      {message !== undefined && t.message.cancelAbout(formatMoney(message.amount, message.currency))}
    </ConfirmDialog>
  );
}
