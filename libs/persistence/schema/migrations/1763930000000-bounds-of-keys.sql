-- What a key may do, from where, and until when. A key that was made before may do everything, from anywhere, for ever.
alter table api_key
  add column name text not null default '',
  add column scopes text[] not null default '{send,read,manage}',
  -- Null: from anywhere.
  add column networks cidr[],
  add column expires_at timestamptz,
  -- Written by gateways, once a minute at most.
  add column last_used_at timestamptz,
  add constraint api_key_name_check check (length(name) <= 100),
  add constraint api_key_scopes_check check (scopes <@ '{send,read,manage}' and cardinality(scopes) > 0),
  add constraint api_key_networks_check check (cardinality(networks) between 1 and 50);
