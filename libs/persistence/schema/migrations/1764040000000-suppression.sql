-- The key of the hashes below: 32 random bytes in hexadecimal, encrypted if the service has a key for secrets. It never
-- changes, because nobody can compute the hashes again: the numbers are not kept.
create table number_hash_key (
  is_only boolean primary key default true check (is_only),
  secret  text not null
);

-- Numbers that an account (or a sandbox) must send nothing to.
create table suppression (
  account_id  bigint not null references account,
  -- The first 16 bytes of SHA-256 of a key, the account and the number: it outlives the redaction of numbers, and
  -- without the key nobody can try all numbers.
  number_hash bytea not null check (length(number_hash) = 16),
  -- Who wanted it: the owner, an operator, or the recipient.
  source      text not null check (source in ('client', 'operator', 'recipient')),
  reason      text check (length(reason) between 1 and 200),
  created_at  timestamptz not null default now(),
  primary key (account_id, number_hash)
);
create index suppression_newest on suppression (account_id, created_at, number_hash);

-- Numbers that were put on a list a moment ago: messages to them that were accepted before, up to last_sequence, may
-- still wait, or come back from a carrier. The reconciler looks at them until none is left, then the row goes.
create table open_opt_out (
  account_id    bigint not null references account,
  destination   text not null,
  last_sequence bigint not null,
  due_at        timestamptz not null,
  primary key (account_id, destination)
);
create index open_opt_out_due on open_opt_out (due_at);

-- What accepts are checked by. `has_suppressions`: the account has a row above. `guard_version` grows with every change
-- of what a gateway has to know before it asks the database to accept.
alter table account
  add column has_suppressions boolean not null default false,
  add column guard_version integer not null default 0;
