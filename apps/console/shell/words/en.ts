import { refusal } from './refusals.js';

/** The words of the parts that both consoles share. Functions take what stands in the middle of a sentence. */
export const en = {
  notFound: {
    title: 'There is no such page',
    about: 'The address may be wrong, or the page has moved.',
    home: 'Go to the start page',
  },
  failure: { title: 'This page has failed', reload: 'Load it again' },
  offline: 'You are offline. What you see is the last that was loaded.',
  skip: 'Skip to the content',
  menu: { open: 'Open the menu', close: 'Close the menu', label: 'Main' },
  theme: { label: 'Colours', auto: 'Like the system', light: 'Light', dark: 'Dark' },
  loading: 'Loading',
  error: {
    title: 'This could not be loaded',
    stale: 'This could not be refreshed. The figures below are older.',
    retry: 'Try again',
    request: (id: string) => `Request ${id}`,
  },
  refusal,
  updated: {
    now: 'Updated just now',
    ago: (ago: string) => `Updated ${ago}`,
    refresh: 'Refresh',
  },
  pages: {
    label: 'Pages',
    first: 'First page',
    next: 'Next page',
    shown: (from: string, to: string, total: string) => `${from} to ${to} of ${total}`,
    all: (total: string) => `All ${total}`,
    more: 'at least',
  },
  chart: { asTable: 'As a table', asChart: 'As a chart' },
  copy: { copy: 'Copy', copied: 'Copied', failed: 'Your browser does not copy here. Select the text.' },
  confirm: { cancel: 'Cancel', keep: 'Keep it' },
  secret: { copyNow: 'Copy it now: it is not shown again.', done: 'I have kept it' },
  redacted: {
    done: (messages: string) => `Messages redacted: ${messages}.`,
    later: (messages: string) => `When they have ended: ${messages}.`,
    more: 'There are more. They follow within minutes.',
  },
  close: 'Close',
  undo: 'Undo',
};
