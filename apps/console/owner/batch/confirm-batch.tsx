import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatMoney, microsOf } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { Icon } from '../../shell/icons.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { quoteMessages } from '../sending/calls.js';
import { Figures } from '../sending/figures.js';
import { messagesMaxOf } from '../sending/messages-max.js';
import { useBalance } from '../sending/use-balance.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import type { BatchOptions } from './batch-sending.js';
import type { SelectedRows } from './select-rows.js';
import { b } from './words.js';

interface ConfirmBatchProps {
  readonly selected: SelectedRows;
  readonly options: BatchOptions;
  /** It is confirmed, and about to begin. */
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onConfirm: (currency: string) => void;
}

/** Says what will be sent and paid. The service confirms what holds for all messages: the sender and the time. */
export function ConfirmBatch({ selected, options, isBusy, onClose, onConfirm }: ConfirmBatchProps) {
  const session = useSession();
  const balance = useBalance();
  const { messages, segments, total, skipped } = selected;
  const [first] = messages;
  const quote = useQuery({
    queryKey: ['quote-of-file', options, first?.recipient, first?.message],
    queryFn: () => quoteMessages({ ...options, recipients: [first?.recipient ?? ''], message: first?.message ?? '' }),
    retry: false,
    gcTime: 0,
  });
  const price = quote.data && formatMoney(total, quote.data.currency);
  const unpriced = quote.isPending ? b.confirm.checking : s.figures.unpriced;
  const after = balance && microsOf(balance.balance) - total;
  return (
    <ConfirmDialog
      isOpen
      title={b.confirm.title}
      act={price === undefined ? unpriced : b.confirm.act(price)}
      isBusy={isBusy}
      isReady={quote.data !== undefined}
      onConfirm={() => quote.data !== undefined && onConfirm(quote.data.currency)}
      onClose={onClose}
    >
      <Figures
        figures={[
          { name: s.figures.messages, value: formatCount(messages.length) },
          ...(skipped.length > 0 ? [{ name: b.summary.leftOut, value: formatCount(skipped.length) }] : []),
          { name: s.figures.segments, value: formatCount(segments) },
          ...(options.sendAt === undefined ? [] : [{ name: s.when.time, value: formatTime(options.sendAt) }]),
          { name: s.figures.price, value: price ?? s.figures.unknown, isMain: true },
          ...(after === undefined || balance === undefined
            ? []
            : [{ name: s.figures.after, value: formatMoney(after, balance.currency), isBad: after < 0n }]),
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {session.test ? s.testNote : b.confirm.about(formatCount(messagesMaxOf(session)))}
      </Text>
      {quote.error !== null && (
        <Alert color="red" icon={<Icon name="warning" />} mt="sm" role="alert">
          <RefusalText error={quote.error} />
        </Alert>
      )}
    </ConfirmDialog>
  );
}
