import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { s } from '../sending/words.js';
import { type Offender, type Offenders, replaceCharacters, replaceLookAlikes } from './find-offenders.js';
import { isInvisible, nameCharacter } from './name-character.js';
import classes from './offender-list.module.css';
import { savedSegments } from './saved-segments.js';
import { c } from './words.js';

const SHOWN_MAX = 6;

interface OffenderListProps {
  readonly text: string;
  readonly offenders: Offenders;
  readonly onReplace: (text: string) => void;
  /** Selects the character in the field. */
  readonly onFind: (start: number, end: number) => void;
}

/** The characters that make the text extended, each with its name and what may stand in its place. */
export function OffenderList({ text, offenders, onReplace, onFind }: OffenderListProps) {
  const [isWhole, setIsWhole] = useState(false);
  const { characters, hasMore } = offenders;
  if (characters.length === 0) return null;
  const shown = isWhole ? characters : characters.slice(0, SHOWN_MAX);
  const hidden = characters.length - shown.length;
  const lookAlikes = characters.filter(({ substitute }) => substitute?.isLookAlike === true);
  const saving = savedSegments(text, offenders);
  return (
    <section className={classes.list} aria-label={c.offenders.label}>
      <Group justify="space-between" gap="xs" align="flex-start">
        <Text size="sm" className={classes.why ?? ''}>
          {c.offenders.why}
          {saving !== undefined && (
            <>
              {' '}
              <strong>
                {c.offenders.saving(s.segments(saving.instead, formatCount(saving.instead)), formatCount(saving.now))}
              </strong>
            </>
          )}
        </Text>
        {lookAlikes.length > 1 && (
          <Button size="xs" onClick={() => onReplace(replaceLookAlikes(text))}>
            {c.offenders.replaceAll}
          </Button>
        )}
      </Group>
      <ul className={classes.items}>
        {shown.map((offender) => (
          <OffenderItem
            key={offender.character}
            offender={offender}
            onFind={() => onFind(offender.position, offender.position + offender.character.length)}
            onReplace={(substitute) => onReplace(replaceCharacters(text, new Map([[offender.character, substitute]])))}
          />
        ))}
      </ul>
      {(hidden > 0 || hasMore) && (
        <Group gap="xs" mt={6}>
          {hidden > 0 && (
            <Button variant="subtle" size="compact-sm" onClick={() => setIsWhole(true)}>
              {c.offenders.more(hidden, formatCount(hidden))}
            </Button>
          )}
          {hasMore && (
            <Text size="sm" c="dimmed">
              {c.offenders.uncounted}
            </Text>
          )}
        </Group>
      )}
    </section>
  );
}

interface OffenderItemProps {
  readonly offender: Offender;
  readonly onFind: () => void;
  readonly onReplace: (substitute: string) => void;
}

function OffenderItem({ offender, onFind, onReplace }: OffenderItemProps) {
  const { character, codePoints, count, substitute } = offender;
  const name = nameCharacter(character);
  return (
    <li className={classes.item}>
      <button type="button" className={classes.glyph} onClick={onFind} aria-label={c.offenders.find(name)}>
        {isInvisible(character) ? '␣' : character}
      </button>
      <span className={classes.name}>
        <span>
          {name}
          {count > 1 && <span className="number"> ×{formatCount(count)}</span>}
        </span>
        <span className={classes.code}>{codePoints.slice(0, 3).join(' ')}</span>
      </span>
      {substitute === undefined ? (
        <Text size="xs" c="dimmed">
          {c.offenders.none}
        </Text>
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onReplace(substitute.text)}
          aria-label={c.offenders.replaceName(name, substitute.text)}
        >
          {substitute.text.trim() === '' ? c.offenders.blank(substitute.text) : `→ ${substitute.text}`}
        </Button>
      )}
    </li>
  );
}
