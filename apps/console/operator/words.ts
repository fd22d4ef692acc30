/** The words of the operators' console. */
export const t = {
  name: 'Operator',
  overview: { title: 'Overview', queues: 'Queues' },
  notFound: 'There is no such page',
};
