// Takes what the generator sends while the second tenant's idle figure is measured: sink.js; prints its port.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end('{}'));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : 0}\n`);
});
