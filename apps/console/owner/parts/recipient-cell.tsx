import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { MessageOrder } from '#client';
import { t } from '../words.js';

/** Whom a message goes to, with a link to its page. A phone has no column of texts, so the text stands below. */
export function RecipientCell(order: MessageOrder) {
  return (
    <>
      <Anchor component={Link} href={`/messages/${order.message_uuid}`} className="number">
        {order.recipient}
      </Anchor>
      <div className="narrow-only">
        <Text size="xs" c="dimmed" dir="auto" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {textOf(order)}
        </Text>
      </div>
    </>
  );
}

/** What a message says, or why nobody can read it any more. */
export function textOf({ message }: MessageOrder): string {
  return message === '' ? t.messages.textGone : message;
}
