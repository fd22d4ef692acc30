import { Button, Group, Text } from '@mantine/core';
import type { MouseEvent } from 'react';
import { formatCount } from '../format-numbers.js';
import { PANEL_SIDES } from '../frame/panel.js';
import { Icon } from '../icons.js';
import { words } from '../words.js';

/** Where a list is read: a cursor from the page before, and how many rows stand before it. */
export interface Place {
  readonly cursor: string | undefined;
  readonly before: number;
}

export const FIRST_PLACE: Place = { cursor: undefined, before: 0 };

interface Moves {
  readonly place: Place;
  readonly shown: number;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** What is shown is the page before, until that of `place` comes: its `next` would lead there once more. */
  readonly isBefore: boolean;
  readonly onMove: (place: Place) => void;
}

/** As the API answers beside a page of a list. */
export interface Pagination {
  readonly total: number;
  /** There are more than `total`. */
  readonly total_is_capped?: boolean;
  readonly next: string | null;
}

interface PagerProps extends Omit<Moves, 'next'> {
  readonly pagination: Pagination;
}

/** Moves through a list that nobody has counted. "Back" of the browser leads to the page before. */
export function CursorPager(moves: Moves) {
  if (moves.next === null && moves.place.cursor === undefined) return null;
  return (
    <Group component="nav" aria-label={words.pages.label} justify="flex-end" px={PANEL_SIDES} py="sm">
      <PageButtons {...moves} />
    </Group>
  );
}

/**
 * Moves through a list by cursors: no page is counted, and nothing shifts when new rows come in. The browser's own
 * "back" leads to the page before if `onMove` keeps the place in the address.
 */
export function Pager({ pagination, ...moves }: PagerProps) {
  const { place, shown } = moves;
  const { total, total_is_capped: isTotalCapped = false, next } = pagination;
  if (next === null && place.cursor === undefined && shown === total) {
    return shown > 1 ? <PagerText text={words.pages.all(formatCount(total))} /> : null;
  }
  const totalText = `${isTotalCapped ? `${words.pages.more} ` : ''}${formatCount(total)}`;
  return (
    <Group component="nav" aria-label={words.pages.label} justify="space-between" px={PANEL_SIDES} py="sm">
      <Text size="sm" c="dimmed" className="number">
        {shown === 0
          ? ''
          : words.pages.shown(formatCount(place.before + 1), formatCount(place.before + shown), totalText)}
      </Text>
      <PageButtons {...moves} next={next} />
    </Group>
  );
}

/** The first page, and the next one. */
function PageButtons({ place, shown, next, isBefore, onMove }: Moves) {
  const moveTo = (to: Place) => (event: MouseEvent<HTMLElement>) => {
    beginList(event.currentTarget.closest('nav'));
    onMove(to);
  };
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" disabled={place.cursor === undefined} onClick={moveTo(FIRST_PLACE)}>
        {words.pages.first}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={next === null || isBefore}
        rightSection={<Icon name="chevron" size={14} />}
        {...(next !== null && { onClick: moveTo({ cursor: next, before: place.before + shown }) })}
      >
        {words.pages.next}
      </Button>
    </Group>
  );
}

/** Another page is read from its first row on. The focus would be on nothing if the button has no use there. */
function beginList(pager: HTMLElement | null): void {
  const list = pager?.parentElement?.querySelector<HTMLElement>(':scope > section');
  if (list == null) return;
  list.focus({ preventScroll: true });
  if (list.getBoundingClientRect().top < 0) list.scrollIntoView();
}

function PagerText({ text }: { readonly text: string }) {
  return (
    <Text size="sm" c="dimmed" px={PANEL_SIDES} py="sm" className="number">
      {text}
    </Text>
  );
}
