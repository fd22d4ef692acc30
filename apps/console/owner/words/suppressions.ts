const messages = (count: number) => (count === 1 ? '1 message' : `${count} messages`);

export const suppressions = {
  title: 'Opt-outs',
  about: 'Numbers to which this account sends nothing. They are kept as hashes, so they cannot be listed.',
  add: 'Add a number',
  addAbout: 'Every later send to it is refused. What still waits for it is canceled and given back.',
  added: (canceled: number) =>
    canceled === 0 ? 'The number is on the list.' : `The number is on the list; ${canceled} canceled.`,
  remove: 'Remove a number',
  removeAbout: 'Only if its owner agrees to get messages again.',
  removed: 'The number is no longer on the list.',
  notThere: 'The number was not on the list.',
  number: 'Number',
  find: 'Look it up',
  showAll: 'Show all',
  notFound: 'This number is not on the list',
  none: { title: 'No opt-outs', about: 'Numbers that answer with a STOP word stand here, and those that you add.' },
  columns: { time: 'Since', hash: 'Hash of the number', source: 'By', reason: 'Reason' },
  sources: { client: 'You', operator: 'The operator', recipient: 'The recipient' },
  guards: 'What this account may send',
  rules: {
    none: 'The operator has set no guards.',
    names: {
      countries: (codes: string) => `To these countries only: ${codes}.`,
      priceMax: (amount: string) => `At most ${amount} for a segment.`,
      spendDayMax: (amount: string) => `At most ${amount} a day (UTC).`,
      spendMonthMax: (amount: string) => `At most ${amount} a month (UTC).`,
      recipientHourMax: (count: number) => `At most ${messages(count)} an hour to one number.`,
      rangeHourMax: (count: number) => `At most ${messages(count)} an hour to one range of numbers.`,
    },
  },
};
