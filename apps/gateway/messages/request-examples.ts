/** Bodies that the documentation shows and lets people try. */
export const SEND_EXAMPLES = {
  standard: {
    summary: 'One segment of standard characters',
    value: { recipient: '+491701234567', message: 'Your code is 4711' },
  },
  extended: {
    summary: 'The euro sign makes it extended: 70 code units a segment',
    value: { recipient: '0049 170 123-4567', message: 'Your order of 12,50 € is on its way.' },
  },
};

export const BATCH_EXAMPLES = {
  batch: {
    summary: 'Two messages, accepted together or not at all',
    value: {
      messages: [
        { recipient: '+491701234567', message: 'Your table is ready.' },
        { recipient: '+46700100200', message: 'Your taxi is here.' },
      ],
    },
  },
};
