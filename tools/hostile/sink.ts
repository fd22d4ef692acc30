import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../harness/child.js';

const sink = {
  /** Takes what the generator sends while the second tenant's idle figure is measured. @returns its port */
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      const server = createServer((request, response) => {
        request.resume();
        request.on('end', () => response.end('{}'));
      });
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    }),
};
export type Sink = typeof sink;

serve(sink);
