-- The keys of the texts that are stored encrypted: one for each day (UTC) on which texts were, or a few. The id begins
-- with the day. Each is 32 random bytes in base64, encrypted with the key for secrets. Without its row the texts that
-- name it cannot be read. 000000000000 is the key with which fingerprints of texts are hashed.
create table text_key (
  key_id     text primary key check (key_id ~ '^[0-9]{8}[0-9a-f]{4}$'),
  secret     text not null,
  created_at timestamptz not null default now()
);
