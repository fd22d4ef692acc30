import { ForwardMigration } from './forward-migration.js';

/**
 * A carrier says whether it is a simulator. The one that `npm start` added until now is known by its name, its user and its
 * address: this machine, or the Compose service.
 */
export class Simulators1763900200000 extends ForwardMigration {
  readonly name = 'Simulators1763900200000';
  readonly summary =
    'carriers say whether they are simulators, which take no messages beside a real carrier by accident';
  protected override readonly statements = `
    alter table carrier add column simulator boolean not null default false;
    update carrier set simulator = true
     where name = 'simulator' and protocol = 'smpp' and system_id = 'heliograph'
       and (host in ('localhost', '::1', 'simulator') or host like '127.%')`;
  protected readonly files = [];
}
