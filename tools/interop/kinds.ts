import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ForeignServer } from './foreign-server.js';
import { OPTION_PROOFS } from './option-proofs.js';
import { OSMO_MSC_PROOFS, startOsmoMsc } from './osmo-msc.js';
import { PROOFS, type Proof } from './proofs.js';

/** A code base that is not ours and speaks SMPP as a server. */
export interface Kind {
  readonly name: string;
  readonly proofs: readonly Proof[];
  /** What to install, where it is not there. */
  missing(): string | undefined;
  start(): Promise<ForeignServer>;
}

const NET_SMPP: Kind = {
  name: 'Net::SMPP (Perl)',
  proofs: [...PROOFS, ...OPTION_PROOFS],
  missing: () =>
    works('perl', ['-MNet::SMPP', '-MJSON::PP', '-e', '1']) ? undefined : 'apt-get install libnet-smpp-perl',
  start: () => ForeignServer.spawn('perl', ['tools/interop/servers/net-smpp.pl']),
};

const LIBSMPP34: Kind = {
  name: 'libsmpp34 (C, the codec of osmo-msc)',
  // It reads no bind of 3.3.
  proofs: [...PROOFS, ...OPTION_PROOFS.filter(([what]) => !what.startsWith('option interfaceVersion'))],
  missing: () => {
    if (!existsSync('/usr/include/libsmpp34/smpp34.h')) return 'apt-get install libsmpp34-dev';
    return works('cc', ['--version']) ? undefined : 'a C compiler';
  },
  start: () => {
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-interop-'));
    const program = join(folder, 'libsmpp34-smsc');
    const compiled = spawnSync('cc', ['-O1', '-o', program, 'tools/interop/servers/libsmpp34.c', '-lsmpp34']);
    if (compiled.status !== 0) throw new Error(`libsmpp34.c does not compile: ${compiled.stderr}`);
    return ForeignServer.spawn(program, [], folder);
  },
};

const OSMO_MSC: Kind = {
  name: 'osmo-msc (C)',
  proofs: OSMO_MSC_PROOFS,
  missing: () => (works('osmo-msc', ['--version']) ? undefined : 'apt-get install osmo-msc'),
  start: startOsmoMsc,
};

export const KINDS: readonly Kind[] = [NET_SMPP, LIBSMPP34, OSMO_MSC];

function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
