/** Words about messages from handsets. */
export const inbox = {
  title: 'Inbox',
  about: 'What people wrote to your numbers, the newest first.',
  sender: 'From',
  recipient: 'To',
  text: 'Text',
  received: 'Received',
  keyword: 'Asks for',
  anyText: 'Any text',
  inReplyTo: 'Answers',
  yourMessage: 'Your message',
  noText: 'No text is kept',
  keywords: { stop: 'Opt-out', start: 'Opt-in', help: 'Help' },
  none: { title: 'Nobody has written yet', about: 'Answers to your messages stand here as soon as they come.' },
  noneFound: { title: 'No message fits', about: 'Other filters may find more.' },
};
