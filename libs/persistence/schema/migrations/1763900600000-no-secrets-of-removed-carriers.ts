import { ForwardMigration } from './forward-migration.js';

/** A removed carrier is never connected again; its password and its TLS key were kept for nothing. */
export class NoSecretsOfRemovedCarriers1763900600000 extends ForwardMigration {
  readonly name = 'NoSecretsOfRemovedCarriers1763900600000';
  readonly summary = 'passwords and TLS keys of removed carriers are deleted';
  protected override readonly statements =
    "update carrier set password = '', options = options - 'tlsKeyPem' where removed_at is not null";
  protected readonly files = [];
}
