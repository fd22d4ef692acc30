-- What a browser has in place of an API key. A token may do what its key may do, and ends with it at the latest.
create table console_token (
  token_id text primary key,
  key_id text not null references api_key on delete cascade,
  -- SHA-256; the secret itself is only in the browser.
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index console_token_key_idx on console_token (key_id, created_at);
