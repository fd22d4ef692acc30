import { Alert, Button, Checkbox, Group, Progress, Stack, Text } from '@mantine/core';
import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { s } from '../sending/words.js';
import type { RowMessage } from './check-rows.js';
import { FaultTable } from './fault-table.js';
import type { CheckState } from './use-check.js';
import { b } from './words.js';

const REPEATS_NAMED = 5;

/** What somebody decides about rows. */
export interface RowChoices {
  readonly leavesOutFaults: boolean;
  readonly sendsOnce: boolean;
}

interface CheckPanelProps {
  readonly state: CheckState;
  readonly choices: RowChoices;
  readonly onChange: (choices: RowChoices) => void;
  readonly onAgain: () => void;
}

/** What the check of every row has found. */
export function CheckPanel({ state, choices, onChange, onAgain }: CheckPanelProps) {
  return (
    <Panel title={b.check.title}>
      <div aria-live="polite" aria-busy={state.kind === 'checking'}>
        {state.kind === 'idle' && (
          <Text size="sm" c="dimmed">
            {b.check.first}
          </Text>
        )}
        {state.kind === 'checking' && (
          <div>
            <Text size="sm">{b.check[state.step]}</Text>
            <Progress
              value={state.share * 100}
              mt={8}
              animated
              transitionDuration={0}
              aria-label={b.check[state.step]}
            />
          </div>
        )}
        {state.kind === 'failed' && (
          <Alert color="red" icon={<Icon name="warning" />} title={b.check.failed} role="alert">
            <Group justify="space-between">
              <Text size="sm" component="div">
                <RefusalText error={state.error} />
              </Text>
              <Button size="xs" variant="default" onClick={onAgain}>
                {b.check.again}
              </Button>
            </Group>
          </Alert>
        )}
        {state.kind === 'checked' && <Found state={state} choices={choices} onChange={onChange} />}
      </div>
    </Panel>
  );
}

type FoundProps = Omit<CheckPanelProps, 'onAgain' | 'state'> & {
  readonly state: Extract<CheckState, { kind: 'checked' }>;
};

function Found({ state, choices, onChange }: FoundProps) {
  const { messages, faults, repeated, extended } = state.result;
  return (
    <Stack gap="md">
      {messages.length === 0 && faults.length === 0 && (
        <Text size="sm" c="dimmed">
          {b.check.none}
        </Text>
      )}
      {messages.length > 0 && (
        <Group gap={8} wrap="nowrap">
          <Text c="light-dark(#0b5d35, #8fe3b5)" component="span" lh={0}>
            <Icon name="check" />
          </Text>
          <Text size="sm">{b.check.good(s.messages(messages.length, formatCount(messages.length)))}</Text>
        </Group>
      )}
      {faults.length > 0 && (
        <>
          <FaultTable faults={faults} />
          {messages.length > 0 && (
            <Checkbox
              label={b.check.leaveOut(s.rows(faults.length, formatCount(faults.length)))}
              checked={choices.leavesOutFaults}
              onChange={(event) => onChange({ ...choices, leavesOutFaults: event.currentTarget.checked })}
            />
          )}
        </>
      )}
      {repeated.length > 0 && <Repeated repeated={repeated} choices={choices} onChange={onChange} />}
      {extended > 0 && (
        <Text size="sm" c="dimmed">
          {b.check.extended(s.messages(extended, formatCount(extended)))}
        </Text>
      )}
    </Stack>
  );
}

interface RepeatedProps extends Pick<CheckPanelProps, 'choices' | 'onChange'> {
  readonly repeated: readonly RowMessage[];
}

function Repeated({ repeated, choices, onChange }: RepeatedProps) {
  const named = repeated
    .slice(0, REPEATS_NAMED)
    .map(({ row, repeats }) =>
      b.check.repeatedOf(formatCount(row), formatCount(repeats?.row ?? 0), repeats?.hasSameText === true),
    );
  return (
    <Alert
      color="yellow"
      icon={<Icon name="warning" />}
      title={b.check.repeated(s.rows(repeated.length, formatCount(repeated.length)))}
    >
      <Text size="sm">
        {named.join('; ')}
        {repeated.length > named.length && ' …'}
      </Text>
      <Checkbox
        mt="sm"
        label={b.check.once}
        checked={choices.sendsOnce}
        onChange={(event) => onChange({ ...choices, sendsOnce: event.currentTarget.checked })}
      />
    </Alert>
  );
}
