import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { LAPTOP, MAGNIFIED, PHONE, picture, WIDE } from './console-stage.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that look at colours take longer than all others together. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const ALL_RULES = { runOnly: { type: 'tag', values: TAGS } };
/** What is not a colour is the same in the dark as in the light. */
const OF_COLOURS = { runOnly: { type: 'rule', values: COLOUR_RULES } };
/** Colours are the same on a phone as on a wide screen. */
const OF_SHAPES = { ...ALL_RULES, rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])) };

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/**
 * Holds a page against what every page must be, in three looks: light, dark, and on a phone. Nobody's assistive
 * technology finds a fault (axe), and nothing is wider than the screen, nor a table than its place. Each look is a
 * picture if somebody wants some. Where a dialog is open, only the phone's look is of the page under it too: a journey
 * judges that page without the dialog as well.
 *
 * @param isLong it has amounts of many digits, beside each other, for which a phone has no room
 */
export async function judgePage(page: Page, name: string, { isLong = false } = {}): Promise<void> {
  await settled(page);
  await picture(page, name);
  await expectAccessible(page, `${name}, light`, ALL_RULES, DIALOG_OR_PAGE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  await picture(page, `${name}-dark`);
  await expectAccessible(page, `${name}, dark`, OF_COLOURS, DIALOG_OR_PAGE);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await settled(page);
  await picture(page, `${name}-phone`);
  await expectAccessible(page, `${name}, phone`, OF_SHAPES);
  await expectNoOverflow(page, `${name}, phone`);
  if (!isLong) await expectNoScrolledTable(page, `${name}, phone`);
  await page.setViewportSize(WIDE);
  // A click while the page still grows wide again would miss its button.
  await page.evaluate(IS_DRAWN);
}

/**
 * Axe goes in by the debugger: the policy of the page lets no script in.
 *
 * @param what of the page is judged: an expression in the page that gives a context of axe
 */
export async function expectAccessible(
  page: Page,
  where: string,
  rules: object = ALL_RULES,
  what = 'document',
): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  // Only rules that are not asked for read the style sheets beforehand.
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...rules });
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${what}, ${options})`);
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 4).map(({ html, failureSummary }) => `${html.slice(0, 200)} :: ${failureSummary}`),
  }));
  expect({ where, found }).toEqual({ where, found: [] });
}

async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const wide = await page.evaluate<string[]>(TOO_WIDE);
  expect({ where, wide }).toEqual({ where, wide: [] });
}

/** Beside the menu of a small laptop, no table is wider than its place. */
export async function expectTablesFit(page: Page, where: string): Promise<void> {
  await page.setViewportSize(LAPTOP);
  await settled(page);
  await expectNoScrolledTable(page, where);
  await page.setViewportSize(WIDE);
}

/** At 400 %, a window of 1280 pixels is as narrow as this. What is cut there without dots cannot be scrolled to. */
export async function expectNothingCut(page: Page, where: string): Promise<void> {
  await page.setViewportSize(MAGNIFIED);
  await settled(page);
  const cut = await page.evaluate<string[]>(CUT_TEXTS);
  expect({ where, cut }).toEqual({ where, cut: [] });
  await page.setViewportSize(WIDE);
}

export async function expectNoScrolledTable(page: Page, where: string): Promise<void> {
  const wide = await page.evaluate<string[]>(SCROLLED_BOXES);
  expect({ where, wide }).toEqual({ where, wide: [] });
}

/** Everything that the page asked for has come, it is drawn, and nothing on it moves or changes its colour any more. */
export async function settled(page: Page): Promise<void> {
  // Not by waitForFunction, whose polling the policy of the page forbids.
  await eventually(() => page.evaluate<boolean>(IS_THERE));
  await page.evaluate(IS_DRAWN);
}

/** Whoever works with the keyboard goes on from here. */
export async function hasFocus(place: Locator): Promise<void> {
  await eventually(() => place.evaluate((element) => element.ownerDocument.activeElement === element));
}

// These run in the page.
/** A dialog that is open, or all of the page. */
const DIALOG_OR_PAGE = `(() => {
  const dialogs = [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')];
  return { include: dialogs.length === 0 ? [document] : dialogs };
})()`;
const TOO_WIDE = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const rightOf = (element) => element.getBoundingClientRect().right;
  const cut = [...document.querySelectorAll('.panel button:not(section[tabindex] *)')].filter(
    (button) => rightOf(button) > rightOf(button.closest('.panel')));
  if (scrollWidth <= clientWidth) return cut.map(({ outerHTML }) => outerHTML.slice(0, 160));
  const beyond = [...document.querySelectorAll('body *')].filter(
    (element) => rightOf(element) > clientWidth + 1);
  return [scrollWidth + ' > ' + clientWidth, ...beyond.slice(0, 5).map(({ outerHTML }) => outerHTML.slice(0, 160))];
})()`;
/** A row of fields cannot be as narrow as a phone. */
const SCROLLED_BOXES = `[...document.querySelectorAll('section[tabindex]:not(:has(input))')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((box) => [box.ariaLabel, box.scrollWidth, box.clientWidth].join(' '))`;
const CUT_TEXTS = `(() => {
  const cut = [];
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { right } = range.getBoundingClientRect();
    for (let box = texts.currentNode.parentElement; box !== null; box = box.parentElement) {
      const { overflowX, clipPath, textOverflow } = getComputedStyle(box);
      if (overflowX === 'auto' || clipPath !== 'none' || textOverflow === 'ellipsis') break;
      if (overflowX === 'hidden' && right > box.getBoundingClientRect().right + 1) cut.push(range.toString());
    }
  }
  return cut;
})()`;
const IS_THERE = `document.querySelector('#console > *') !== null &&
  document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root') === null`;
const IS_DRAWN = `(async () => {
  const frames = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const isFinite = (animation) => animation.effect.getComputedTiming().endTime !== Infinity;
  await document.fonts.ready;
  await frames();
  const moving = document.getAnimations().filter(isFinite);
  if (moving.length === 0) return;
  await Promise.allSettled(moving.map(({ finished }) => finished));
  await frames();
})()`;
