import { serve } from '../../harness/child.js';
import { CountingReceiver } from './counting-receiver.js';

const receiver = await CountingReceiver.start();

const program = {
  url: () => receiver.url,
  changes: () => receiver.changes,
  repeats: () => receiver.repeats,
  between: (fromMs: number, toMs: number) => receiver.between(fromMs, toMs),
};
export type ReceiverProgram = typeof program;

serve(program);
