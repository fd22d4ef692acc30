import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatMicros } from '#billing';
import { formatCount, formatMoney, microsOf } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import pageClasses from '../compose/compose-page.module.css';
import { Figures } from '../sending/figures.js';
import { messagesMaxOf } from '../sending/messages-max.js';
import { NO_CHOICES, OptionFields } from '../sending/option-fields.js';
import optionClasses from '../sending/option-fields.module.css';
import { sendAtFault } from '../sending/send-at.js';
import { newSendId } from '../sending/send-id.js';
import { useTabKey } from '../sending/tab-key.js';
import { useBalance } from '../sending/use-balance.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import type { BatchOptions } from './batch-sending.js';
import { CheckPanel, type RowChoices } from './check-panel.js';
import { ColumnFields } from './column-fields.js';
import { ConfirmBatch } from './confirm-batch.js';
import { beginSending } from './current-sending.js';
import { guessLayout, type Layout, planFrom } from './plan.js';
import type { ReadFile } from './read-file.js';
import { selectRows } from './select-rows.js';
import { keepFile } from './sending-record.js';
import { useCheck } from './use-check.js';
import { b } from './words.js';

const TAG_MAX = 100;
const NO_ROW_CHOICES: RowChoices = { leavesOutFaults: false, sendsOnce: false };

/** A file that was read: its columns, the check of its rows, what it costs, and the button to send. */
export function BatchSetup({ file }: { readonly file: ReadFile }) {
  const session = useSession();
  const { scopes, test } = session;
  const messagesMax = messagesMaxOf(session);
  const account = useTabKey();
  const balance = useBalance();
  const [layout, setLayout] = useState<Layout>(() => guessLayout(file));
  const [choices, setChoices] = useState(NO_ROW_CHOICES);
  const [send, setSend] = useState(NO_CHOICES);
  const [tag, setTag] = useState(() => file.name.replace(/\.\w+$/, '').slice(0, TAG_MAX));
  // As they were looked at: a time that passes meanwhile is refused, and never left out.
  const [confirmed, setConfirmed] = useState<BatchOptions>();
  const [isBeginning, setIsBeginning] = useState(false);
  const plan = useMemo(() => planFrom(file, layout), [file, layout]);
  const { state, again } = useCheck(plan, messagesMax);
  const result = state.kind === 'checked' ? state.result : undefined;
  const selected = useMemo(() => result && selectRows(result, choices.sendsOnce), [result, choices.sendsOnce]);
  const money = (amount: bigint) => (balance === undefined ? '' : formatMoney(amount, balance.currency));
  const after = selected && balance && microsOf(balance.balance) - selected.total;
  const options: BatchOptions = {
    ...(send.sender !== '' && { sender: send.sender }),
    ...(send.isLater &&
      sendAtFault(send.sendAt, Date.now()) === undefined && {
        sendAt: new Date(send.sendAt).toISOString(),
      }),
    ...(tag.trim() !== '' && { tag: tag.trim() }),
  };
  const isReady =
    scopes.includes('send') &&
    selected !== undefined &&
    selected.messages.length > 0 &&
    (result?.faults.length === 0 || choices.leavesOutFaults) &&
    (!send.isLater || options.sendAt !== undefined);
  return (
    <div className={pageClasses.columns}>
      <Stack gap="lg" className={pageClasses.stack ?? ''}>
        <ColumnFields
          layout={layout}
          plan={plan}
          needsCountry={result?.faults.some(({ kind }) => kind === 'recipient_national') ?? false}
          onChange={(changes) => setLayout((before) => ({ ...before, ...changes }))}
        />
        <CheckPanel state={state} choices={choices} onChange={setChoices} onAgain={again} />
        <Panel title={b.options.title}>
          <Stack gap="md">
            <OptionFields choices={send} onChange={setSend} />
            <TextInput
              label={b.options.tag}
              description={b.options.tagHint}
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
              maxLength={TAG_MAX}
              classNames={{ wrapper: optionClasses.field ?? '', input: optionClasses.input ?? '' }}
            />
          </Stack>
        </Panel>
      </Stack>
      <div className={pageClasses.aside}>
        <Panel title={b.summary.title}>
          <Figures
            figures={[
              { name: s.figures.messages, value: selected ? formatCount(selected.messages.length) : s.figures.unknown },
              ...(selected && selected.skipped.length > 0
                ? [{ name: b.summary.leftOut, value: formatCount(selected.skipped.length) }]
                : []),
              { name: s.figures.segments, value: selected ? formatCount(selected.segments) : s.figures.unknown },
              { name: s.figures.price, value: selected ? money(selected.total) : s.figures.unknown, isMain: true },
              {
                name: after === undefined ? s.figures.balance : s.figures.after,
                value: after === undefined ? balance && money(microsOf(balance.balance)) : money(after),
                isBad: after !== undefined && after < 0n,
              },
            ]}
          />
          {after !== undefined && after < 0n && (
            <Text size="sm" c="var(--mantine-color-error)" mt={4}>
              {s.belowZero(money(-after))}
            </Text>
          )}
          <Button fullWidth mt="md" size="md" disabled={!isReady} onClick={() => setConfirmed(options)}>
            {send.isLater ? b.summary.schedule : b.summary.send}
          </Button>
          {test && (
            <Text size="xs" c="dimmed" mt="sm">
              {s.testNote}
            </Text>
          )}
        </Panel>
      </div>
      {confirmed !== undefined && selected !== undefined && (
        <ConfirmBatch
          selected={selected}
          options={confirmed}
          isBusy={isBeginning}
          onClose={() => setConfirmed(undefined)}
          onConfirm={(currency) => {
            // A large file takes a moment: a second click would send it once more.
            setIsBeginning(true);
            const { messages, skipped, total } = selected;
            const { name: fileName, mark: fileMark, charset, text, delimiter } = file;
            keepFile(sessionStorage, text);
            void beginSending({
              record: {
                id: newSendId(),
                account,
                startedAt: Date.now(),
                fileName,
                fileMark,
                charset,
                hasHeader: layout.hasHeader,
                recipient: layout.recipient ?? 0,
                template: layout.template,
                countryCode: layout.countryCode,
                options: confirmed,
                messagesMax,
                skippedRows: skipped.map(({ row }) => row),
                leftOut: [],
                messages: messages.length,
                sent: 0,
                price: formatMicros(total),
                currency,
              },
              messages,
              notSent: skipped,
              delimiter,
            });
          }}
        />
      )}
    </div>
  );
}
