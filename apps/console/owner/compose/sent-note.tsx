import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import type { Sent } from '../sending/calls.js';
import { s } from '../sending/words.js';
import classes from './sent-note.module.css';
import { c } from './words.js';

const NAMED_MAX = 10;

interface SentNoteProps {
  readonly sent: Sent;
  readonly isScheduled: boolean;
  readonly onAnother: () => void;
}

/** What was accepted, and where to follow it. */
export function SentNote({ sent, isScheduled, onAnother }: SentNoteProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { messages, charged, currency } = sent;
  const count = s.messages(messages.length, formatCount(messages.length));
  return (
    <Panel>
      <Group gap="md" wrap="nowrap" align="flex-start">
        <span className={classes.check}>
          <Icon name="check" size={22} />
        </span>
        <div className={classes.body}>
          <Title order={2} ref={heading} tabIndex={-1} className={classes.title ?? ''}>
            {isScheduled ? c.sent.scheduled(count) : c.sent.title(count)}
          </Title>
          <Text size="sm" c="dimmed">
            {c.sent.charged(formatMoney(charged, currency))}
          </Text>
          {messages.length > 1 && (
            <ul className={classes.list}>
              {messages.slice(0, NAMED_MAX).map(({ messageId, recipient }) => (
                <li key={messageId}>
                  <Link href={`/messages/${messageId}`}>{recipient}</Link>
                </li>
              ))}
              {messages.length > NAMED_MAX && <li>{c.sent.others(formatCount(messages.length - NAMED_MAX))}</li>}
            </ul>
          )}
          <Group gap="sm" mt="md">
            {messages.length === 1 && (
              <Button component={Link} href={`/messages/${messages[0]?.messageId ?? ''}`}>
                {c.sent.follow}
              </Button>
            )}
            {messages.length > 1 && (
              <Button component={Link} href="/messages">
                {c.sent.all}
              </Button>
            )}
            <Button variant="default" onClick={onAnother}>
              {c.sent.another}
            </Button>
          </Group>
        </div>
      </Group>
    </Panel>
  );
}
