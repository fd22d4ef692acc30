import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import type { ApiError } from '../../shell/api/api-error.js';
import { formatCount } from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { fieldFaults, RefusalText } from '../../shell/states/refusal-text.js';
import type { Sent } from '../sending/calls.js';
import { messagesMaxOf } from '../sending/messages-max.js';
import { OptionFields } from '../sending/option-fields.js';
import { useTabKey } from '../sending/tab-key.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import classes from './compose-page.module.css';
import { countText } from './count-text.js';
import { useDraft } from './draft.js';
import { findOffenders } from './find-offenders.js';
import { ModeTabs } from './mode-tabs.js';
import { OffenderList } from './offender-list.js';
import { readRecipients } from './read-recipients.js';
import { SendSummary } from './send-summary.js';
import { SentNote } from './sent-note.js';
import { TextCounter } from './text-counter.js';
import { TextEditor } from './text-editor.js';
import { useCopyOf } from './use-copy-of.js';
import { useUnitPrices } from './use-unit-prices.js';
import { c } from './words.js';

const NAMED_MAX = 3;

export default function ComposePage() {
  const session = useSession();
  const { scopes, senders = [] } = session;
  const recipientsMax = messagesMaxOf(session);
  const { draft, change, clear } = useDraft(useTabKey(), senders);
  const [before, setBefore] = useState<string>();
  const [sent, setSent] = useState<{ readonly accepted: Sent; readonly isScheduled: boolean }>();
  const [isNext, setIsNext] = useState(false);
  const [failure, setFailure] = useState<ApiError>();
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = useCopyOf(change, senders);
  const numbers = readRecipients(draft.recipients);
  const count = countText(draft.text);
  const offenders = findOffenders(draft.text);
  const prices = useUnitPrices(numbers.destinations, recipientsMax);
  const faults = fieldFaults(failure);

  if (sent !== undefined) {
    return (
      <>
        <PageHead title={c.title} />
        <SentNote
          sent={sent.accepted}
          isScheduled={sent.isScheduled}
          onAnother={() => {
            setSent(undefined);
            setIsNext(true);
          }}
        />
      </>
    );
  }
  return (
    <>
      <PageHead title={c.title} about={c.about} actions={<ModeTabs />} />
      {!scopes.includes('send') && (
        <Alert color="yellow" icon={<Icon name="warning" />} mb="md">
          {s.noScope}
        </Alert>
      )}
      {copy.error !== undefined && (
        <Alert color="red" icon={<Icon name="warning" />} title={c.copy.failed} mb="md" role="alert">
          <RefusalText error={copy.error} />
        </Alert>
      )}
      <div className={classes.columns}>
        <Panel>
          <Stack gap="lg">
            {draft.copyOf !== '' && (
              <Text size="sm" role="status">
                {c.copy.made} {copy.lostSender !== undefined && c.copy.lostSender(copy.lostSender)}
              </Text>
            )}
            <div>
              <Textarea
                label={c.recipients.label}
                description={c.recipients.hint}
                placeholder={c.recipients.placeholder}
                value={draft.recipients}
                onChange={(event) => change({ recipients: event.currentTarget.value })}
                error={recipientsFault()}
                // After a send, this is where one goes on.
                autoFocus={isNext}
                autosize
                minRows={1}
                maxRows={8}
                classNames={{ input: classes.input ?? '' }}
                inputMode="tel"
                spellCheck={false}
                required
              />
              {(numbers.recipients.length > 1 || numbers.repeated.length > 0) && (
                <Text size="sm" c="dimmed" mt={4}>
                  {c.recipients.count(numbers.recipients.length, formatCount(numbers.recipients.length))}
                  {numbers.repeated.length > 0 && ` ${c.recipients.repeated(listed(numbers.repeated))}`}
                </Text>
              )}
            </div>
            <div>
              <TextEditor
                label={c.text.label}
                placeholder={c.text.placeholder}
                text={draft.text}
                marks={offenders.marks}
                onChange={write}
                error={faults.message}
                field={field}
              />
              <TextCounter count={count} />
              <OffenderList text={draft.text} offenders={offenders} onReplace={replace} onFind={select} />
              {before !== undefined && (
                <Group mt={8}>
                  {/* The button that replaced is gone; the focus goes on from here, and back to the text. */}
                  <Button key={draft.text} autoFocus variant="subtle" size="compact-sm" onClick={undo}>
                    {c.text.undo}
                  </Button>
                </Group>
              )}
            </div>
            <OptionFields choices={draft} onChange={change} faults={faults} />
          </Stack>
        </Panel>
        <div className={classes.aside}>
          <SendSummary
            draft={draft}
            count={count}
            recipients={numbers.recipients}
            prices={prices}
            isReady={scopes.includes('send') && isReady()}
            onFailed={setFailure}
            onSent={(accepted) => {
              setFailure(undefined);
              setBefore(undefined);
              setSent({ accepted, isScheduled: draft.isLater });
              // What is written next is another send: with the key of this one, it would be taken for a repetition.
              clear();
            }}
          />
        </div>
      </div>
    </>
  );

  function write(text: string): void {
    setBefore(undefined);
    setFailure(undefined);
    change({ text });
  }

  function replace(text: string): void {
    write(text);
    setBefore(draft.text);
  }

  function undo(): void {
    if (before !== undefined) write(before);
    field.current?.focus();
  }

  function select(start: number, end: number): void {
    field.current?.focus();
    field.current?.setSelectionRange(start, end);
  }

  function recipientsFault(): ReactNode {
    if (numbers.faults.length > 0) return c.recipients.fault(listed(numbers.faults));
    if (numbers.recipients.length > recipientsMax)
      return c.recipients.tooMany(recipientsMax, formatCount(recipientsMax));
    const [refused] = prices.refused;
    if (refused === undefined) return faults.recipient;
    return `${c.recipients.refused(listed(prices.refused.map(({ recipient }) => `+${recipient}`)))} ${refused.reason}`;
  }

  function isReady(): boolean {
    const areNumbersGood = numbers.recipients.length > 0 && recipientsFault() === undefined;
    return areNumbersGood && draft.text.trim() !== '' && !count.isTooLong;
  }
}

function listed(all: readonly string[]): string {
  const named = all.slice(0, NAMED_MAX).join(', ');
  return all.length > NAMED_MAX ? `${named} ${c.recipients.others(formatCount(all.length - NAMED_MAX))}` : named;
}
