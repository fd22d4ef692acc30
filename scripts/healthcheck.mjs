// Health check of a container: `node scripts/healthcheck.mjs [http[s]://HOST:PORT/PATH | tcp://HOST:PORT]`. Ends with 0
// when the address answers: 200 over HTTP, a connection over TCP. Without an argument it asks the gateway whether it is
// ready.
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';

const TIMEOUT_MS = 4_000;
const scheme = process.env.TLS_CERT_FILE ? 'https' : 'http';
const target = new URL(process.argv[2] ?? `${scheme}://127.0.0.1:${process.env.PORT || 3000}/readyz`);

if (target.protocol === 'tcp:') {
  const socket = connect({ host: target.hostname, port: Number(target.port), timeout: TIMEOUT_MS });
  socket.once('connect', () => process.exit(0));
  for (const trouble of ['error', 'timeout']) socket.once(trouble, () => process.exit(1));
} else {
  // It asks its own machine, by an address that is in no certificate.
  const get = target.protocol === 'https:' ? httpsGet : httpGet;
  const request = get(target, { timeout: TIMEOUT_MS, rejectUnauthorized: false }, (answer) =>
    process.exit(answer.statusCode === 200 ? 0 : 1),
  );
  for (const trouble of ['error', 'timeout']) request.once(trouble, () => process.exit(1));
}
