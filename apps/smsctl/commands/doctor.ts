import type { Command } from 'commander';
import { defineCommand } from '../command.js';
import { examine } from '../examine-service.js';
import type { Finding } from '../finding.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

export function defineDoctor(doctor: Command, session: Session): void {
  defineCommand(doctor, ['doctor', 'doctor --json']).action(async (_options, command: Command) => {
    const findings = await examine(session.servers(), () => session.connect());
    session.print(command, {
      json: { isWell: isWell(findings), checks: findings },
      text: table(
        ['check', 'state', 'finding'],
        findings.map(({ check, state, detail }) => [check, state, detail]),
        'Nothing was looked at.',
      ),
      isFailure: !isWell(findings),
    });
  });
}

function isWell(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.state !== 'fail');
}
