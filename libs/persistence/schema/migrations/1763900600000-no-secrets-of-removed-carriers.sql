-- A removed carrier is never connected again; its password and its TLS key were kept for nothing.
update carrier set password = '', options = options - 'tlsKeyPem' where removed_at is not null;
