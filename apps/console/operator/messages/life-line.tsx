import { Text } from '@mantine/core';
import { formatTime } from '../../shell/format-times.js';
import { StateWord } from '../parts/state-word.js';
import { messageTone } from '../parts/tones.js';
import { t } from '../words.js';
import classes from './life-line.module.css';
import type { MessageDetails } from './message.js';

/** Every status that a message has had, with time, actor and code. */
export function LifeLine({ message: { createdAt, sendAt, transitions } }: { readonly message: MessageDetails }) {
  const steps = [
    { at: createdAt, to: sendAt === undefined ? 'queued' : 'scheduled', actor: 'client', carrierCode: undefined },
    ...transitions,
  ];
  return (
    <ol className={classes.line}>
      {steps.map(({ at, to, actor, carrierCode }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message may have the same status twice in one moment.
        <li key={`${at} ${to} ${index}`} className={classes.step}>
          <StateWord tone={messageTone(to)} word={t.messages.states[to] ?? to} />
          {carrierCode !== undefined && <span className="mono">{carrierCode}</span>}
          <Text component="span" size="xs" c="dimmed" className="number">
            {formatTime(at)}, {t.messages.by(t.messages.actors[actor] ?? actor)}
          </Text>
        </li>
      ))}
    </ol>
  );
}
