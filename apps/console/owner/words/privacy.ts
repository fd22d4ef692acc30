import { counted } from '../../shell/format-numbers.js';

const days = (count: number) => counted(count, 'day', 'days');

export const privacy = {
  title: 'Privacy',
  textsKept: 'Texts are kept.',
  textsGo: (count: number) => `Texts are removed ${days(count)} after a message has ended.`,
  numbersKept: 'Numbers are kept.',
  numbersGo: (count: number) => `The last six digits of numbers are removed ${days(count)} after a message has ended.`,
  change: 'Choose how long',
  changeAbout: 'An empty field leaves it to the operator. What was removed does not come back.',
  textDays: 'Days until texts are removed',
  numberDays: 'Days until numbers are removed (7 at least)',
  save: 'Save',
  changed: 'Saved. It holds within a minute.',
  redact: 'Forget a number',
  redactAbout:
    'Removes the number, and the texts to it and from it, from all messages until now. Amounts and opt-outs stay. It ' +
    'cannot be undone.',
  number: 'Number',
  redactMessage: 'Redact',
  redactTitle: 'Remove the text and the number?',
  redactMessageAbout: 'The text and the last six digits of the number are removed. It cannot be undone.',
  messageRedacted: 'The message is redacted.',
  messageLater: 'The message is on its way. It is redacted as soon as it has ended.',
};
