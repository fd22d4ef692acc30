import { counted } from '../../shell/format-numbers.js';

/** Words about money and use. */
export const deposits = {
  title: 'Deposits',
  about: 'Money that came in, and corrections by the operator.',
  columns: { time: 'Booked', kind: 'Kind', amount: 'Amount', converted: 'On the balance', reference: 'Reference' },
  kinds: { deposit: 'Deposit', adjustment: 'Correction' },
  none: { title: 'No deposit yet', about: 'The operator of this service books deposits.' },
  export: 'Export as CSV',
};

export const balanceAlert = {
  title: 'Balance alert',
  off: 'Off: nobody is told when the balance becomes low.',
  on: (amount: string) => `Webhooks that ask for “balance.low” are told when the balance falls below ${amount}.`,
  change: 'Change',
  about: 'Webhooks that ask for “balance.low” are told each time that the balance falls below this amount.',
  below: (currency: string) => `Below, in ${currency}`,
  hint: 'Empty: no alert.',
  save: 'Save',
  done: 'The balance alert is changed.',
};

export const testBalance = {
  title: 'Test balance',
  now: (amount: string) => `Test messages have ${amount} to spend.`,
  set: 'Set the test balance',
  about: 'With 0, you see how your program handles an empty balance. The money of the account stays as it is.',
  amount: (currency: string) => `Amount in ${currency}`,
  hint: 'From 0 to 1000000, e.g. 25.50.',
  noAmount: 'This is no amount from 0 to 1000000.',
  act: 'Set it',
  done: (amount: string) => `The test balance is ${amount}.`,
};

export const ledger = {
  title: 'Ledger',
  about: 'Every movement of money with the balance that it left. Entries are never changed.',
  columns: {
    entry: 'Entry',
    time: 'Booked',
    kind: 'Kind',
    messages: 'Messages',
    change: 'Change',
    after: 'Balance after',
  },
  kinds: {
    deposit: 'Deposit',
    reserve: 'Messages accepted',
    capture: 'Taken by a carrier',
    release: 'Given back',
    refund: 'Refund',
    adjust: 'Correction',
  },
  captured: (amount: string) => `${amount} is final now`,
  none: { title: 'No entry yet', about: 'The first deposit makes the first entry.' },
  export: 'Export as CSV',
};

export const statements = {
  title: 'Statements',
  about: 'A month from midnight to midnight in UTC. All lines add up to the closing balance.',
  month: 'Month',
  ofMonth: (month: string, isOver: boolean) => (isOver ? month : `${month} (not over yet)`),
  print: 'Print',
  opening: 'Opening balance',
  booked: 'Deposits, corrections',
  deposits: 'Deposits and corrections',
  charges: 'Messages',
  refunds: 'Given back',
  closing: 'Closing balance',
  balance: 'Balance now',
  refunded: (count: number) => counted(count, 'message that was not sent', 'messages that were not sent'),
  columns: {
    day: 'Day',
    destination: 'Destination',
    messages: 'Messages',
    segments: 'Segments billed',
    price: 'Price of a segment',
    what: 'What',
    amount: 'Amount',
  },
  none: { title: 'Nothing was sent in this month', about: 'Messages stand here by day, country and price.' },
};

export const usage = {
  title: 'Usage',
  about: 'Messages and segments by day of acceptance (UTC) and destination, with what they cost now.',
  range: 'Time',
  ranges: { '7': '7 days', '30': '30 days', '90': '90 days' },
  columns: {
    day: 'Day',
    destination: 'Destination',
    status: 'Status',
    messages: 'Messages',
    segments: 'Segments billed',
    amount: 'Cost',
  },
  by: 'Grouped by',
  groups: { day: 'Day', destination: 'Destination', status: 'Status' },
  totals: { messages: 'Messages', segments: 'Segments billed', amount: 'Cost', average: 'Cost of a message' },
  pending: (time: string) => `Messages accepted after ${time} are not counted yet.`,
  none: { title: 'Nothing was sent in this time', about: 'Choose a longer time, or send a message.' },
};

export const overview = {
  title: 'Overview',
  about: 'The last 30 days, by day of acceptance (UTC).',
  balance: 'Balance',
  testBalance: 'Test balance',
  spent: 'Spent',
  sent: 'Messages',
  segments: 'Segments billed',
  rate: 'Delivered',
  ever: (count: string) => `${count} since the start`,
  lasts: (days: string) => `lasts about ${days} at this pace`,
  dayCount: (count: number) => counted(count, 'day', 'days'),
  lastsLong: 'lasts more than a year at this pace',
  noSpend: 'nothing was spent yet',
  perMessage: (amount: string) => `${amount} a message`,
  perMessageSegments: (count: string) => `${count} a message`,
  final: (count: string) => `of ${count} with a result`,
  noFinal: 'no result yet',
  rateWhy: 'Delivered, of the messages whose result is known. Waiting and canceled messages do not count.',
  traffic: 'Messages a day',
  spend: 'Spent a day',
  day: 'Day',
  series: { delivered: 'Delivered', open: 'On their way', lost: 'Not delivered' },
  failures: 'What failed, and why',
  failureColumns: { reason: 'Reason', count: 'Messages' },
  newest: (count: number) => `Of each status, only the last ${count} messages are counted here.`,
  noFailures: { title: 'Nothing failed', about: 'Messages that do not arrive stand here with the reason.' },
  destinations: 'Where it goes',
  destinationColumns: { destination: 'Destination', messages: 'Messages', rate: 'Delivered', amount: 'Cost' },
  all: 'All usage',
  noTraffic: { title: 'Nothing was sent in these days', about: 'Charts stand here after the first message.' },
};
