-- Messages from handsets.

-- What carriers delivered, each deliver_sm by itself: so that a repetition is known, and until a long message is whole.
create table inbound_part (
  part_id      bigint generated always as identity primary key,
  carrier_id   integer not null,
  received_at  timestamptz not null default now(),
  source       text not null,
  destination  text not null,
  -- SHA-256 of everything that the carrier sent, or of the carrier's number of the message.
  fingerprint  bytea not null check (length(fingerprint) = 32),
  -- The connection that brought it.
  connection   text not null,
  -- Of a part of a long message; null: it is whole.
  reference    integer,
  total        smallint,
  number       smallint,
  -- UTF-16 code units, because a character may be cut between two parts. Null once the message is stored.
  content      bytea,
  check ((reference is null) = (total is null) and (reference is null) = (number is null))
);
create index inbound_part_fingerprint on inbound_part (fingerprint, carrier_id);
create index inbound_part_received on inbound_part (received_at);
create index inbound_part_open on inbound_part (source, destination, carrier_id) where content is not null;

create table inbound_message (
  -- Version 7: it begins with the time.
  inbound_id    uuid primary key,
  -- The account whose message it answers, and its number in that account's inbox, without gaps. Null: nobody's.
  account_id    bigint,
  number        bigint,
  carrier_id    integer not null,
  source        text not null,
  destination   text not null,
  message       text not null,
  parts         smallint not null check (parts between 1 and 255),
  missing_parts smallint not null default 0 check (missing_parts between 0 and 254),
  -- What the whole text asks for, if it is one of the words of inbound_keyword.
  keyword       text check (keyword in ('stop', 'start', 'help')),
  -- The message that it answers.
  in_reply_to   uuid,
  -- Why it is nobody's.
  unassigned    text check (unassigned in ('unknown', 'ambiguous')),
  received_at   timestamptz not null default now(),
  check ((account_id is null) = (number is null)),
  check ((account_id is null) = (unassigned is not null))
);
create unique index inbound_message_number on inbound_message (account_id, number) where account_id is not null;
create index inbound_message_source on inbound_message (account_id, source, number) where account_id is not null;
create index inbound_message_unassigned on inbound_message (inbound_id) where account_id is null;

-- How many messages each inbox has had.
create table inbox (
  account_id  bigint primary key references account,
  last_number bigint not null
);

-- Numbers and senders that belong to one account, because an operator says so. Lower case, without a plus sign.
create table number_assignment (
  number     text primary key check (number ~ '^[0-9a-z ._-]{1,20}$'),
  account_id bigint not null references account,
  created_at timestamptz not null default now()
);
create index number_assignment_account on number_assignment (account_id);

-- Words that opt out, opt in, or ask for help, as `foldWord` writes them. The languages are for people: a word counts
-- whatever language the handset has.
create table inbound_keyword (
  word     text primary key check (length(word) between 1 and 40),
  action   text not null check (action in ('stop', 'start', 'help')),
  language text not null check (language ~ '^[a-z]{2}$')
);
insert into inbound_keyword (action, language, word)
select k.action, k.language, unnest(k.words)
  from (values
    ('stop', 'en', '{stop,stopall,"stop all",unsubscribe,cancel,end,quit,optout,"opt out",opt-out,revoke}'::text[]),
    ('start', 'en', '{start,unstop,subscribe,optin,"opt in",opt-in}'),
    ('help', 'en', '{help,info}'),
    ('stop', 'de', '{stopp,abmelden,abbestellen}'), ('start', 'de', '{anmelden}'), ('help', 'de', '{hilfe}'),
    ('stop', 'fr', '{arret,arrêt,désabonner,desabonner}'), ('start', 'fr', '{abonner}'), ('help', 'fr', '{aide}'),
    ('stop', 'es', '{baja,alto,parar}'), ('start', 'es', '{alta}'), ('help', 'es', '{ayuda}'),
    ('stop', 'it', '{basta,disiscrivi}'), ('start', 'it', '{iscrivi}'), ('help', 'it', '{aiuto}'),
    ('stop', 'nl', '{afmelden}'), ('start', 'nl', '{aanmelden}'), ('help', 'nl', '{hulp}'),
    ('stop', 'pt', '{sair,cancelar}'), ('start', 'pt', '{iniciar}'), ('help', 'pt', '{ajuda}'),
    ('stop', 'sv', '{avsluta}'), ('start', 'sv', '{börja}'), ('help', 'sv', '{hjälp}')
  ) as k(action, language, words);
