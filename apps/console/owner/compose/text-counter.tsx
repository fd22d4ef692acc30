import { Badge, Group, Progress, Text, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { formatCount } from '../../shell/format-numbers.js';
import { s } from '../sending/words.js';
import type { TextCount } from './count-text.js';
import classes from './text-counter.module.css';
import { c } from './words.js';

/** How long somebody pauses before a screen reader is told what the counter says. */
const READ_AFTER_MS = 1_000;

/** Encoding, characters left in this segment, and segments, at every key. */
export function TextCounter({ count }: { readonly count: TextCount }) {
  const { encoding, length, segments, left, segmentMax, isTooLong } = count;
  const sentence = isTooLong
    ? c.counter.tooLong(formatCount(-left))
    : c.counter.left(formatCount(left), segmentMax - left > 0 || segments > 0);
  const [spoken] = useDebouncedValue(
    length === 0
      ? ''
      : `${c.counter.encoding[encoding]}. ${sentence}. ${isTooLong ? '' : s.segments(segments, formatCount(segments))}`,
    READ_AFTER_MS,
  );
  return (
    <div>
      <Progress
        value={isTooLong ? 100 : ((segmentMax - left) / segmentMax) * 100}
        size={4}
        mt={8}
        color={isTooLong ? 'red' : encoding === 'extended' ? 'yellow' : 'beam'}
        transitionDuration={0}
        aria-hidden="true"
      />
      <Group justify="space-between" gap="xs" mt={8} aria-hidden="true">
        <Group gap="xs">
          <Badge variant="light" tt="none" className={classes[encoding] ?? ''}>
            {c.counter.encoding[encoding]}
          </Badge>
          <Text size="sm" className="number" {...(isTooLong && { c: 'var(--mantine-color-error)' })}>
            {sentence}
          </Text>
        </Group>
        <Text size="sm" className="number">
          <strong>{isTooLong ? '255+' : formatCount(segments)}</strong> {c.counter.segments(segments)} ·{' '}
          {c.counter.characters(length, formatCount(length))}
        </Text>
      </Group>
      <VisuallyHidden role="status">{spoken}</VisuallyHidden>
    </div>
  );
}
