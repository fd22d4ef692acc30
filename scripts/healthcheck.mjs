// Health check of a container: `node scripts/healthcheck.mjs [http://HOST:PORT/PATH | tcp://HOST:PORT]`. Ends with 0 when
// the address answers: 200 over HTTP, a connection over TCP. Without an argument it asks the gateway whether it is ready.
import { connect } from 'node:net';

const TIMEOUT_MS = 4_000;
const target = new URL(process.argv[2] ?? `http://127.0.0.1:${process.env.PORT || 3000}/readyz`);

if (target.protocol === 'tcp:') {
  const socket = connect({ host: target.hostname, port: Number(target.port), timeout: TIMEOUT_MS });
  socket.once('connect', () => process.exit(0));
  for (const trouble of ['error', 'timeout']) socket.once(trouble, () => process.exit(1));
} else {
  const answer = await fetch(target, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  process.exit(answer?.status === 200 ? 0 : 1);
}
