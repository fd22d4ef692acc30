import { Alert, Button, Group, Progress, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatDuration } from '../../shell/format-times.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { useNow } from '../../shell/states/updated-note.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import type { BatchSending, SendingState } from './batch-sending.js';
import { type CurrentSending, forgetSending, useSendingState } from './current-sending.js';
import { downloadResult } from './download-result.js';
import { FaultTable } from './fault-table.js';
import { b } from './words.js';

interface SendingViewProps {
  readonly current: CurrentSending;
  readonly onAnother: () => void;
}

/** A send while it runs, when it waits or has stopped, and its result. */
export function SendingView({ current, onAnother }: SendingViewProps) {
  const { record, sending } = current;
  const state = useSendingState(sending);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { status, sent, all, charged } = state;
  const chargedWords = sending.earlierRows.length === 0 ? b.sending.charged : b.sending.chargedAtLeast;
  const isOver = status === 'done' || status === 'stopped';
  return (
    <Panel>
      <Title order={2} ref={heading} tabIndex={-1}>
        {titleOf(status, record.fileName, record.options.sendAt !== undefined)}
      </Title>
      <Progress
        value={all === 0 ? 100 : (sent / all) * 100}
        size="lg"
        mt="md"
        color={status === 'done' ? 'teal.9' : 'beam'}
        animated={status === 'sending'}
        aria-label={b.sending.progress(formatCount(sent), formatCount(all))}
      />
      <Group justify="space-between" gap="xs" mt="xs">
        <Text size="sm" role="status">
          <span className="number">{b.sending.progress(formatCount(sent), formatCount(all))}</span> ·{' '}
          <span className="number">{chargedWords(formatMoney(charged, record.currency))}</span>
        </Text>
        {status === 'sending' && <TimeLeft sending={sending} state={state} />}
      </Group>
      <Stopped current={current} state={state} />
      {!isOver && (
        <Text size="sm" c="dimmed" mt="md">
          {status === 'stopping' ? b.sending.stopping : b.sending.stay}
        </Text>
      )}
      <Group gap="sm" mt="lg">
        {(status === 'sending' || status === 'waiting') && (
          <Button variant="default" onClick={() => sending.pause()}>
            {b.sending.stop}
          </Button>
        )}
        {status === 'stopped' && state.refused.length === 0 && (
          <Button onClick={() => void sending.run()}>{b.sending.goOn}</Button>
        )}
        {isOver && (
          <Button
            variant={status === 'done' ? 'filled' : 'default'}
            leftSection={<Icon name="download" size={16} />}
            onClick={() => void downloadResult(current)}
          >
            {b.sending.download}
          </Button>
        )}
        {isOver && (
          <Button component={Link} href={listOf(record.options.tag)} variant="default">
            {b.sending.messages}
          </Button>
        )}
        {isOver && (
          <Button
            variant="subtle"
            onClick={() => {
              onAnother();
              forgetSending();
            }}
          >
            {status === 'done' ? b.sending.another : b.sending.giveUp}
          </Button>
        )}
      </Group>
    </Panel>
  );
}

/** Why it does not go on. */
function Stopped({ current, state }: { readonly current: CurrentSending; readonly state: SendingState }) {
  const { sending } = current;
  const { test } = useSession();
  const { status, error, refused } = state;
  if (status === 'waiting') return <Waiting state={state} />;
  if (status !== 'stopped') {
    return test ? (
      <Text size="sm" mt="md">
        {s.testNote}
      </Text>
    ) : null;
  }
  if (refused.length > 0) {
    const faults = refused.map(({ row, recipient, code, detail }) => ({
      row,
      recipient,
      kind: code,
      value: recipient,
      detail,
    }));
    return (
      <div>
        <Text size="sm" my="md">
          {b.sending.refused(s.rows(refused.length, formatCount(refused.length)))}
        </Text>
        <FaultTable faults={faults} />
        <Button
          mt="md"
          onClick={() => {
            sending.leaveOut(refused.map(({ row }) => row));
            void sending.run();
          }}
        >
          {b.sending.leaveOut}
        </Button>
      </div>
    );
  }
  return (
    <Alert color={error === undefined ? 'gray' : 'red'} icon={<Icon name="warning" />} mt="md" role="alert">
      {error === undefined ? (
        b.sending.stoppedNote
      ) : (
        <RefusalText error={error} more={error.code === 'insufficient_balance' ? b.sending.balance : undefined} />
      )}
    </Alert>
  );
}

function Waiting({ state }: { readonly state: SendingState }) {
  const nowMs = useNow();
  const seconds = Math.max(0, Math.ceil(((state.nextTryAt ?? nowMs) - nowMs) / 1_000));
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} mt="md">
      <RefusalText error={state.error} more={b.sending.waiting(formatCount(seconds))} />
    </Alert>
  );
}

function TimeLeft({ sending, state }: { readonly sending: BatchSending; readonly state: SendingState }) {
  const start = useRef({ sending, atMs: Date.now(), sent: state.sent });
  const elapsedMs = Date.now() - start.current.atMs;
  const sent = state.sent - start.current.sent;
  if (sent === 0) return null;
  return (
    <Text size="sm" c="dimmed" className="number">
      {b.sending.left(formatDuration(Math.max(1_000, ((state.all - state.sent) / sent) * elapsedMs)))}
    </Text>
  );
}

function titleOf(status: SendingState['status'], fileName: string, isScheduled: boolean): string {
  if (status === 'done') return isScheduled ? b.sending.scheduled(fileName) : b.sending.done(fileName);
  return status === 'stopped' ? b.sending.stopped(fileName) : b.sending.title(fileName);
}

function listOf(tag: string | undefined): string {
  return tag === undefined ? '/messages' : `/messages?${new URLSearchParams({ tag })}`;
}
