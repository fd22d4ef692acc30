import { Button, Group } from '@mantine/core';
import { Icon } from '../../shell/icons.js';
import { FIRST_PLACE, type Place } from '../../shell/table/pager.js';
import { words } from '../../shell/words.js';

interface CursorPagerProps {
  readonly place: Place;
  readonly shown: number;
  readonly next: string | null;
  readonly onMove: (place: Place) => void;
}

/** Moves through a list that nobody has counted. "Back" of the browser leads to the page before. */
export function CursorPager({ place, shown, next, onMove }: CursorPagerProps) {
  if (next === null && place.cursor === undefined) return null;
  return (
    <Group component="nav" aria-label={words.pages.label} justify="flex-end" px="lg" py="sm" gap="xs">
      <Button size="xs" variant="default" disabled={place.cursor === undefined} onClick={() => onMove(FIRST_PLACE)}>
        {words.pages.first}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={next === null}
        rightSection={<Icon name="chevron" size={14} />}
        onClick={() => next !== null && onMove({ cursor: next, before: place.before + shown })}
      >
        {words.pages.next}
      </Button>
    </Group>
  );
}

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** Rows of a page of a list. */
export const PAGE_ROWS = 50;
