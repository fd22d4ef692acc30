/** The words of the page to write a message. */
const en = {
  title: 'Compose',
  about: 'Write a text, see what it costs, then send it.',
  modes: { label: 'How to send', text: 'One text', file: 'From a file' },
  recipients: {
    label: 'Recipients',
    hint: 'International numbers, one on each line or separated by commas.',
    placeholder: '+46 70 123 45 67',
    count: (count: number, shown: string) => `${shown} ${count === 1 ? 'recipient' : 'recipients'}.`,
    fault: (list: string) => `No international number: ${list}. Write the country code, e.g. +46.`,
    repeated: (list: string) => `Left out, because the number stands there already: ${list}.`,
    tooMany: (max: number, shown: string) =>
      `At most ${shown} ${max === 1 ? 'recipient' : 'recipients'}. For more, send from a file.`,
    refused: (list: string) => `Nothing can be sent to ${list}.`,
    others: (count: string) => `and ${count} more`,
  },
  text: { label: 'Text', placeholder: 'What do you want to say?', undo: 'Undo the replacement' },
  counter: {
    encoding: { standard: 'Standard', extended: 'Extended' },
    left: (left: string, isBegun: boolean) => `${left} ${isBegun ? 'left in this segment' : 'characters in a segment'}`,
    tooLong: (over: string) => `Too long by ${over}`,
    segments: (count: number) => (count === 1 ? 'segment' : 'segments'),
    characters: (count: number, shown: string) => `${shown} ${count === 1 ? 'character' : 'characters'}`,
  },
  offenders: {
    label: 'Characters outside the standard set',
    why: 'These characters make the message extended: a segment then holds 70 characters, not 160.',
    saving: (then: string, now: string) => `Without them: ${then} and not ${now}.`,
    replaceAll: 'Replace look-alikes',
    replaceName: (name: string, substitute: string) =>
      substitute.trim() === '' ? `Replace ${name}` : `Replace ${name} by ${substitute}`,
    find: (name: string) => `Find ${name} in the text`,
    blank: (substitute: string) => (substitute === '' ? 'Leave out' : substitute === '\n' ? '→ new line' : '→ space'),
    none: 'No substitute',
    more: (count: number, shown: string) => `${shown} more ${count === 1 ? 'kind' : 'kinds'}`,
    uncounted: 'The text has more than are counted here.',
  },
  preview: {
    label: 'How a handset shows it',
    sender: 'Default sender',
    empty: 'Your text appears here.',
    more: (count: number, shown: string) => `… and ${shown} more ${count === 1 ? 'segment' : 'segments'}`,
    note: 'Handsets join the segments; the shades only show where each begins.',
  },
  summary: { title: 'Summary', send: 'Send …', schedule: 'Schedule …', waiting: 'Asking for the price' },
  confirm: {
    title: 'Send this?',
    titleLater: 'Schedule this?',
    act: (price: string) => `Send for ${price}`,
    actLater: (price: string) => `Schedule for ${price}`,
    asking: 'The service confirms the price …',
    charge: 'The price is deducted when the messages are accepted.',
    repeat: 'Trying again is safe: the messages are accepted at most once.',
  },
  sent: {
    title: (count: string) => `${count} accepted`,
    scheduled: (count: string) => `${count} scheduled`,
    charged: (charged: string) => `${charged} was deducted from the balance.`,
    follow: 'Follow the message',
    all: 'All messages',
    another: 'Write another message',
    others: (count: string) => `and ${count} more under “All messages”`,
  },
  copy: {
    made: 'This is a copy. It is sent, and paid, as a new message.',
    lostSender: (sender: string) => `The sender “${sender}” is no longer allowed: the copy has that of the account.`,
    failed: 'The message could not be copied',
    noText: 'The text of this message is no longer kept.',
  },
};

export const c: typeof en = en;
