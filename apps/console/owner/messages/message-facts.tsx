import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Message } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { CopyButton } from '../../shell/states/copy-button.js';
import { t } from '../words.js';
import classes from './message-page.module.css';

export function MessageFacts({ message }: { readonly message: Message }) {
  const words = t.message;
  const { messageId, recipient, sender, encoding, price, amount, currency, reference, tag } = message;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.recipient, recipient],
    [words.sender, sender ?? words.accountSender],
    [words.encoding, words.encodings[encoding]],
    [words.price, formatMoney(price, currency)],
    [words.amount, formatMoney(amount, currency)],
    [words.created, formatTime(message.createdAt)],
    [words.sendAt, message.sendAt === null ? null : formatTime(message.sendAt)],
    [words.validUntil, message.finalAt === null ? formatTime(message.validUntil) : null],
    [words.reference, reference],
    [words.tag, tag],
    [
      words.id,
      <Group key="id" gap={4} wrap="nowrap">
        <span className="mono">{messageId}</span>
        <CopyButton text={messageId} what={words.copyId} />
      </Group>,
    ],
  ];
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <FactRow key={name} name={name}>
            {value}
          </FactRow>
        ))}
    </dl>
  );
}

function FactRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
