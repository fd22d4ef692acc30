/** What the pages that send have in common. */
const en = {
  sender: {
    label: 'Sender',
    hint: 'What handsets show. A carrier may show another one.',
    own: 'Default sender',
  },
  when: {
    label: 'When',
    now: 'At once',
    later: 'Later',
    time: 'Send at',
    hint: (zone: string) =>
      `In your time (${zone}), within the next 30 days. It is charged now, and can be canceled until then.`,
    means: (time: string) => `It will be sent on ${time}.`,
    missing: 'Choose a day and a time.',
    past: 'This time has passed.',
    far: 'This is more than 30 days ahead.',
  },
  figures: {
    messages: 'Messages',
    segments: 'Segments',
    price: 'Price',
    balance: 'Balance',
    after: 'Balance after',
    unknown: '–',
    unpriced: 'No price',
  },
  messages: (count: number, shown: string) => `${shown} ${count === 1 ? 'message' : 'messages'}`,
  segments: (count: number, shown: string) => `${shown} ${count === 1 ? 'segment' : 'segments'}`,
  rows: (count: number, shown: string) => `${shown} ${count === 1 ? 'row' : 'rows'}`,
  belowZero: (amount: string) =>
    `The balance would be ${amount} below zero. The service refuses that unless the account has a credit limit.`,
  noScope: 'This key may not send. Sign in with a key that has the scope “send”.',
  testNote: 'Test mode: nothing reaches a phone, and the money is that of the test balance.',
};

export const s: typeof en = en;
