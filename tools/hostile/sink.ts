import { createServer } from 'node:http';
import { serve } from '../harness/child.js';
import { listen } from '../harness/listen.js';

const sink = {
  /** Takes what the generator sends while the second tenant's idle figure is measured. @returns its port */
  listen: (): Promise<number> =>
    listen(createServer((request, response) => request.resume().on('end', () => response.end('{}')))),
};
export type Sink = typeof sink;

serve(sink);
