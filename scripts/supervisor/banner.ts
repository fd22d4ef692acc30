/** What the person at the terminal needs to know when all is up. */
export interface ReadyService {
  readonly apiUrl: string;
  readonly operatorUrl: string;
  readonly operatorPassword: string;
  readonly simulatorAddress: string;
  readonly database: string;
  readonly queue: string;
  readonly dataDir: string;
  readonly apiKey: string;
}

/** A number of Ofcom's range for drama: it never reaches a person. */
const RECIPIENT = '+447700900123';

/** The text that `npm start` prints when it is ready: addresses, the demo key, and commands that can be pasted. */
export function banner(service: ReadyService): string {
  return `
Heliograph is ready.

  API            ${service.apiUrl}          docs: ${service.apiUrl}/docs
  Operator       ${service.operatorUrl}/queues and /metrics, password: ${service.operatorPassword}
  Simulator      ${service.simulatorAddress} (SMPP 3.4, takes the messages and sends receipts)
  Database       ${service.database}, queue on ${service.queue}
  Data and logs  ${service.dataDir}
  Demo API key   ${service.apiKey}

Send a message:

curl -sS -X POST ${service.apiUrl}/v1/message/send \\
  -H 'X-Authorization: ${service.apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"recipient":"${RECIPIENT}","message":"Hello from Heliograph"}'

See what became of it:

curl -sS '${service.apiUrl}/v1/account/messages?limit=5' \\
  -H 'X-Authorization: ${service.apiKey}'

Ctrl-C stops everything and keeps the data.
`;
}
