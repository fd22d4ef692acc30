import { Alert, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../shell/api/api-error.js';
import { formatCount, formatMoney, microsOf } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { Icon } from '../../shell/icons.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { type MessageBody, quoteMessages, type Sent, sendMessages } from '../sending/calls.js';
import { Figures } from '../sending/figures.js';
import { useBalance } from '../sending/use-balance.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import { c } from './words.js';

interface ConfirmSendProps {
  readonly body: MessageBody;
  /** The same for each try of the same content. */
  readonly sendId: string;
  readonly onClose: () => void;
  readonly onSent: (sent: Sent) => void;
  readonly onFailed: (error: ApiError) => void;
}

/** Asks the service what exactly this costs, and sends it when that is confirmed. */
export function ConfirmSend({ body, sendId, onClose, onSent, onFailed }: ConfirmSendProps) {
  const { test } = useSession();
  const queries = useQueryClient();
  const balance = useBalance();
  const quote = useQuery({ queryKey: ['quote', sendId], queryFn: () => quoteMessages(body), retry: false, gcTime: 0 });
  const send = useMutation({
    mutationFn: () => sendMessages(body, sendId),
    onSuccess: (sent) => {
      void queries.invalidateQueries();
      onSent(sent);
    },
    onError: (error) => {
      if (error instanceof ApiError) onFailed(error);
    },
  });
  const error = send.error ?? quote.error;
  const price = quote.data && formatMoney(quote.data.price, quote.data.currency);
  const after = quote.data && balance && microsOf(balance.balance) - microsOf(quote.data.price);
  const isLater = body.sendAt !== undefined;
  const unpriced = quote.isPending ? c.summary.waiting : s.figures.unpriced;
  const act = price === undefined ? unpriced : isLater ? c.confirm.actLater(price) : c.confirm.act(price);
  return (
    <ConfirmDialog
      isOpen
      title={isLater ? c.confirm.titleLater : c.confirm.title}
      act={act}
      isBusy={send.isPending}
      isReady={quote.data !== undefined}
      onConfirm={() => send.mutate()}
      onClose={onClose}
    >
      {quote.isPending && <Text size="sm">{c.confirm.asking}</Text>}
      {quote.data !== undefined && price !== undefined && (
        <>
          <Figures
            figures={[
              { name: s.figures.messages, value: formatCount(body.recipients.length) },
              { name: s.figures.segments, value: formatCount(quote.data.segments) },
              ...(body.sendAt === undefined ? [] : [{ name: s.when.time, value: formatTime(body.sendAt) }]),
              { name: s.figures.price, value: price, isMain: true },
              ...(after === undefined
                ? []
                : [
                    {
                      name: s.figures.after,
                      value: formatMoney(after, quote.data.currency),
                      isBad: after < 0n,
                    },
                  ]),
            ]}
          />
          <Text size="sm" c="dimmed" mt="sm">
            {test ? s.testNote : c.confirm.charge}
          </Text>
        </>
      )}
      {error !== null && (
        <Alert color="red" icon={<Icon name="warning" />} mt="sm" role="alert">
          <RefusalText
            error={error}
            more={send.error instanceof ApiError && send.error.isPassing ? c.confirm.repeat : undefined}
          />
        </Alert>
      )}
    </ConfirmDialog>
  );
}
