import { carrierWarnings, nextSteps, type Setup } from './next-steps.js';

/** What a person at the terminal must know when everything runs. */
export interface ReadyService {
  readonly apiUrl: string;
  readonly operatorUrl: string;
  /** The password, or where it is. */
  readonly operatorPassword: string;
  readonly database: string;
  readonly queue: string;
  readonly dataDir: string;
  /** Set if there is a demo. */
  readonly demo: { readonly simulatorAddress: string; readonly apiKey: string } | undefined;
  readonly setup: Setup;
  /** The command line of `smsctl` for this service. */
  readonly smsctl: string;
}

/** A number that Ofcom reserves for drama: it never reaches a person. */
const RECIPIENT = '+447700900123';

/** The text that `npm start` prints when it is ready: addresses, and commands that can be pasted. */
export function banner(service: ReadyService): string {
  const { apiUrl, demo } = service;
  const simulator =
    demo === undefined
      ? 'not started (npm start -- --demo adds it and a demo account)'
      : `${demo.simulatorAddress} (SMPP 3.4, takes the messages and sends receipts)`;
  return `
Heliograph is ready.

  Console        ${apiUrl}/         for account owners: sign in with an API key
  API            ${apiUrl}          docs: ${apiUrl}/docs
  Operator       ${service.operatorUrl}, ${signInWords(service)}
  Simulator      ${simulator}
  Database       ${service.database}, queue on ${service.queue}
  Data and logs  ${service.dataDir}
${demo === undefined ? '' : `  Demo API key   ${demo.apiKey}\n`}
${[...(demo === undefined ? nextSteps(service.setup, service.smsctl) : demoSteps(apiUrl, demo.apiKey)), ...warnings(service)].join('\n\n')}

Ctrl-C stops everything and keeps the data.
`;
}

function signInWords({ setup, operatorPassword, smsctl }: ReadyService): string {
  if (setup.admins === 'others') return `with a name of your own: ${smsctl} operator list`;
  return `name: admin, ${operatorPassword}${setup.admins === 'admin' ? ', unless it was changed' : ''}`;
}

function demoSteps(apiUrl: string, apiKey: string): string[] {
  return [
    `Send a message:

curl -sS -X POST ${apiUrl}/v1/message/send \\
  -H 'X-Authorization: ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"recipient":"${RECIPIENT}","message":"Hello from Heliograph"}'`,
    `See what became of it:

curl -sS '${apiUrl}/v1/account/messages?limit=5' \\
  -H 'X-Authorization: ${apiKey}'`,
  ];
}

function warnings({ setup, demo, smsctl }: ReadyService): string[] {
  return carrierWarnings(setup, demo !== undefined, smsctl).map((warning) => `Attention! ${warning}`);
}
