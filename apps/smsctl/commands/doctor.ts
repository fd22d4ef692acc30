import type { Command } from 'commander';
import { defineCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

export function defineDoctor(doctor: Command, session: Session): void {
  defineCommand(doctor, ['doctor', 'doctor --json']).action(async (_options, command: Command) => {
    const diagnosis = session.url === undefined ? await examineHere(session) : await session.call('doctor', {});
    session.print(command, { json: diagnosis, text: textOf(diagnosis), isFailure: !diagnosis.isWell });
  });
}

async function examineHere(session: Session): Promise<AnswerOf<'doctor'>> {
  const { asWire, doctor } = await import('#operations');
  return asWire(await doctor({ ...session.servers(), examiner: 'smsctl' }, () => session.connect()));
}

function textOf({ checks }: AnswerOf<'doctor'>): string {
  const findings = table(
    ['check', 'state', 'finding'],
    checks.map(({ check, state, detail }) => [check, state, detail]),
    'Nothing was looked at.',
  );
  const advice = checks.flatMap(({ check, runbook }) =>
    runbook === null ? [] : [[check, `docs/runbooks/${runbook}.md`]],
  );
  return advice.length === 0 ? findings : `${findings}\n\n${table(['finding', 'what to do'], advice, '')}`;
}
