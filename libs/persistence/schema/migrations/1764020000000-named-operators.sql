-- The people who operate the service. `operator-changes.sql` records what is changed here.
create table operator (
  operator_id          integer generated always as identity primary key,
  -- As the record of changes has it.
  name                 text not null unique check (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  role                 text not null check (role in ('viewer', 'support', 'finance', 'admin')),
  -- Argon2id, with its parameters and salt.
  password_hash        text not null,
  -- Somebody else chose the password: the person chooses another one before anything else.
  must_change_password boolean not null default false,
  -- The secret of the one-time codes, encrypted with SECRETS_KEY; null: the person has no second factor.
  totp_secret          text,
  -- The secret of an enrolment that has not ended yet.
  totp_pending_secret  text,
  -- The last time step of which a code was used: no code is used twice.
  totp_step            bigint not null default 0,
  -- Wrong passwords and codes in a row, and until when none is checked any more.
  failures             integer not null default 0,
  locked_until         timestamptz not null default '-infinity',
  created_at           timestamptz not null default now(),
  last_sign_in_at      timestamptz,
  disabled_at          timestamptz
);

-- Each is good for one sign-in without the device of the one-time codes. SHA-256 of 128 random bits.
create table operator_recovery_code (
  operator_id integer not null references operator on delete cascade,
  code_hash   bytea not null check (length(code_hash) = 32),
  primary key (operator_id, code_hash)
);

create table operator_session (
  -- SHA-256 of the 256 random bits in the cookie.
  session_hash bytea primary key check (length(session_hash) = 32),
  session_id   uuid not null unique default gen_random_uuid(),
  operator_id  integer not null references operator on delete cascade,
  started_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at   timestamptz not null,
  -- When the person last gave the second factor, or the password where there is none.
  confirmed_at timestamptz not null default now(),
  address      text not null,
  user_agent   text not null
);
create index operator_session_operator on operator_session (operator_id);

-- Programs that use the operators' API.
create table operator_token (
  token_id     text primary key check (token_id ~ '^[0-9a-z]{8}$'),
  name         text not null check (length(name) between 1 and 100),
  role         text not null check (role in ('viewer', 'support', 'finance', 'admin')),
  -- SHA-256 of 256 random bits.
  token_hash   bytea not null check (length(token_hash) = 32),
  made_by      text not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  last_used_at timestamptz,
  revoked_at   timestamptz
);
