import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiError } from '../../shell/api/api-error.js';
import { formatCount, formatMoney, microsOf } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import type { MessageBody, Sent } from '../sending/calls.js';
import { type Figure, Figures } from '../sending/figures.js';
import { sendAtFault } from '../sending/send-at.js';
import { useBalance } from '../sending/use-balance.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import { ConfirmSend } from './confirm-send.js';
import type { TextCount } from './count-text.js';
import type { Draft } from './draft.js';
import { Handset } from './handset.js';
import type { UnitPrices } from './use-unit-prices.js';
import { c } from './words.js';

interface SendSummaryProps {
  readonly draft: Draft;
  readonly count: TextCount;
  readonly recipients: readonly string[];
  readonly prices: UnitPrices;
  readonly isReady: boolean;
  readonly onSent: (sent: Sent) => void;
  readonly onFailed: (error: ApiError) => void;
}

/** What will be sent and what it costs, while it is written, and the button to send. */
export function SendSummary({ draft, count, recipients, prices, isReady, onSent, onFailed }: SendSummaryProps) {
  const { test } = useSession();
  const balance = useBalance();
  const [confirmed, setConfirmed] = useState<MessageBody>();
  const { isLater } = draft;
  const price = prices.total === undefined ? undefined : prices.total * BigInt(count.segments);
  const after =
    balance === undefined || price === undefined || recipients.length === 0
      ? undefined
      : microsOf(balance.balance) - price;
  const isTimeGood = !isLater || sendAtFault(draft.sendAt, Date.now()) === undefined;
  const money = (amount: bigint | undefined) =>
    balance === undefined || amount === undefined ? s.figures.unknown : formatMoney(amount, balance.currency);
  const hasFigures = recipients.length > 0 && count.segments > 0 && !count.isTooLong;
  const segments = count.segments * recipients.length;
  const figures: Figure[] = [
    { name: s.figures.messages, value: formatCount(recipients.length) },
    { name: s.figures.segments, value: hasFigures ? formatCount(segments) : s.figures.unknown },
    { name: s.figures.price, value: hasFigures ? money(price) : s.figures.unknown, isMain: true },
    {
      name: hasFigures && after !== undefined ? s.figures.after : s.figures.balance,
      value: money(hasFigures && after !== undefined ? after : balance && microsOf(balance.balance)),
      isBad: hasFigures && after !== undefined && after < 0n,
    },
  ];
  return (
    <Panel>
      <Handset count={count} sender={draft.sender} />
      <div aria-live="polite">
        <Figures figures={figures} />
        {hasFigures && after !== undefined && after < 0n && (
          <Text size="sm" c="var(--mantine-color-error)" mt={4}>
            {s.belowZero(money(-after))}
          </Text>
        )}
        {prices.error !== null && (
          <Text size="sm" c="var(--mantine-color-error)" mt={4} component="div">
            <RefusalText error={prices.error} />
          </Text>
        )}
      </div>
      <Button fullWidth mt="md" size="md" disabled={!isReady || !isTimeGood} onClick={() => setConfirmed(body())}>
        {isLater ? c.summary.schedule : c.summary.send}
      </Button>
      {test && (
        <Text size="xs" c="dimmed" mt="sm">
          {s.testNote}
        </Text>
      )}
      {confirmed !== undefined && (
        <ConfirmSend
          body={confirmed}
          sendId={draft.sendId}
          onClose={() => setConfirmed(undefined)}
          onSent={(sent) => {
            setConfirmed(undefined);
            onSent(sent);
          }}
          onFailed={onFailed}
        />
      )}
    </Panel>
  );

  function body(): MessageBody {
    return {
      recipients,
      message: draft.text,
      ...(draft.sender !== '' && { sender: draft.sender }),
      ...(isLater && { sendAt: new Date(draft.sendAt).toISOString() }),
    };
  }
}
