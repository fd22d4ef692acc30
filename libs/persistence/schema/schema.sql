-- The tables as all migrations together make them. Written by `npm run schema`; never edited. The reasons for tables and
-- columns stand in the migrations that made them; the functions stand in the .sql files of the other folders.
-- Money is bigint micro-units (10^-6 of a currency unit). Times are the database's own. Hot tables have no foreign keys,
-- because each would cost an index probe per row; `smsctl ledger verify` recomputes what they would have guarded.

create type entry_kind as enum (
  'deposit',
  'reserve',
  'capture',
  'release',
  'refund',
  'adjust');

create type ledger_bucket as enum (
  'funding',
  'available',
  'reserved',
  'captured');

create type order_state as enum (
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'canceled',
  'unknown');

create type segment_state as enum (
  'pending',
  'submitting',
  'accepted',
  'in_doubt',
  'refused',
  'delivered',
  'undelivered',
  'unknown');

create sequence dispatch_turn_order;

create sequence event_batch_number;

create table account (
  account_id bigint generated always as identity (start with 1001),
  name text not null,
  currency text not null,
  tariff_id bigint not null,
  status text default 'active'::text not null,
  rate_limit_per_second integer,
  created_at timestamp with time zone default now() not null,
  sender text,
  max_in_flight integer,
  internal boolean default false not null,
  allowed_senders text[] default '{}'::text[] not null,
  balance_alert bigint,
  has_suppressions boolean default false not null,
  guard_version integer default 0 not null,
  constraint account_pkey PRIMARY KEY (account_id),
  constraint account_allowed_senders_check CHECK (cardinality(allowed_senders) <= 100),
  constraint account_balance_alert_check CHECK (balance_alert >= 0),
  constraint account_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint account_max_in_flight_check CHECK (max_in_flight >= 1 AND max_in_flight <= 1000000),
  constraint account_rate_limit_per_second_check CHECK (rate_limit_per_second >= 1 AND rate_limit_per_second <= 1000000),
  constraint account_sandbox_check CHECK (NOT internal OR account_id > 0),
  constraint account_sender_check CHECK (length(sender) >= 1 AND length(sender) <= 16),
  constraint account_status_check CHECK (status = ANY (ARRAY['active'::text, 'suspended'::text, 'closed'::text])),
  constraint account_tariff_id_fkey FOREIGN KEY (tariff_id) REFERENCES tariff(tariff_id)
);
CREATE UNIQUE INDEX account_internal ON account USING btree (internal) WHERE internal;
CREATE UNIQUE INDEX account_name ON account USING btree (name) WHERE status <> 'closed'::text AND account_id > 0;
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON account FOR EACH ROW EXECUTE FUNCTION record_operator_change('account_id', 'has_suppressions,guard_version');

create table account_balance (
  account_id bigint not null,
  deposited bigint default 0 not null,
  reserved bigint default 0 not null,
  captured bigint default 0 not null,
  credit_limit bigint default 0 not null,
  last_sequence bigint default 0 not null,
  last_deposit bigint default 0 not null,
  last_entry bigint default 0 not null,
  rate_limit_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  spent_on date default '-infinity'::date not null,
  spent_day bigint default 0 not null,
  spent_month bigint default 0 not null,
  spent_day_after bigint default 0 not null,
  spent_month_after bigint default 0 not null,
  constraint account_balance_pkey PRIMARY KEY (account_id),
  constraint account_balance_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint account_balance_captured_check CHECK (captured >= 0),
  constraint account_balance_credit_limit_check CHECK (credit_limit >= 0),
  constraint account_balance_reserved_check CHECK (reserved >= 0)
) with (fillfactor=10, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create table account_retention (
  account_id bigint not null,
  text_days integer,
  number_days integer,
  client_text_days integer,
  client_number_days integer,
  constraint account_retention_pkey PRIMARY KEY (account_id),
  constraint account_retention_account_id_check CHECK (account_id > 0),
  constraint account_retention_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint account_retention_client_number_days_check CHECK (client_number_days >= 7 AND client_number_days <= 36500),
  constraint account_retention_client_text_days_check CHECK (client_text_days >= 1 AND client_text_days <= 36500),
  constraint account_retention_number_days_check CHECK (number_days = 0 OR number_days >= 7 AND number_days <= 36500),
  constraint account_retention_text_days_check CHECK (text_days >= 0 AND text_days <= 36500)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON account_retention FOR EACH ROW EXECUTE FUNCTION record_operator_change('account_id', '');

create table account_retired (
  account_id bigint not null,
  last_text bigint default 0 not null,
  last_sequence bigint default 0 not null,
  price bigint default 0 not null,
  amount bigint default 0 not null,
  captured bigint default 0 not null,
  captures bigint default 0 not null,
  released bigint default 0 not null,
  releases bigint default 0 not null,
  retired_at timestamp with time zone default now() not null,
  last_number bigint default 0 not null,
  last_inbound_text bigint default 0 not null,
  last_inbound_number bigint default 0 not null,
  constraint account_retired_pkey PRIMARY KEY (account_id),
  constraint account_retired_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
) with (fillfactor=50);

create table api_key (
  key_id text not null,
  account_id bigint not null,
  secret_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  name text default ''::text not null,
  scopes text[] default '{send,read,manage}'::text[] not null,
  networks cidr[],
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  own_expires_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (key_id),
  constraint api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint api_key_key_id_check CHECK (key_id ~ '^[0-9a-z]{8}$'::text),
  constraint api_key_name_check CHECK (length(name) <= 100),
  constraint api_key_networks_check CHECK (cardinality(networks) >= 1 AND cardinality(networks) <= 50),
  constraint api_key_scopes_check CHECK (scopes <@ '{send,read,manage}'::text[] AND cardinality(scopes) > 0),
  constraint api_key_secret_hash_check CHECK (length(secret_hash) = 32)
);
CREATE INDEX api_key_account ON api_key USING btree (account_id);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON api_key FOR EACH ROW EXECUTE FUNCTION record_operator_change('key_id', 'last_used_at');

create table capped_order (
  account_id bigint not null,
  message_id uuid not null,
  constraint capped_order_pkey PRIMARY KEY (account_id, message_id)
);

create table carrier (
  carrier_id integer generated always as identity,
  name text not null,
  host text not null,
  port integer not null,
  system_id text not null,
  password text not null,
  tls boolean default false not null,
  window_size integer default 10 not null,
  submits_per_second integer,
  message_id_format text default 'as-is'::text not null,
  default_alphabet text default 'gsm0338'::text not null,
  in_doubt_policy text default 'resend'::text not null,
  paused boolean default false not null,
  removed_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  protocol text default 'smpp'::text not null,
  bind_count integer,
  options jsonb default '{}'::jsonb not null,
  simulator boolean default false not null,
  constraint carrier_pkey PRIMARY KEY (carrier_id),
  constraint carrier_bind_count_check CHECK (bind_count >= 1 AND bind_count <= 100),
  constraint carrier_default_alphabet_check CHECK (default_alphabet = ANY (ARRAY['gsm0338'::text, 'latin1'::text])),
  constraint carrier_in_doubt_policy_check CHECK (in_doubt_policy = ANY (ARRAY['resend'::text, 'hold'::text])),
  constraint carrier_message_id_format_check CHECK (message_id_format = ANY (ARRAY['as-is'::text, 'hex-dec'::text, 'dec-hex'::text])),
  constraint carrier_name_check CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'::text OR carrier_id < 0),
  constraint carrier_options_check CHECK (jsonb_typeof(options) = 'object'::text),
  constraint carrier_port_check CHECK (port >= 1 AND port <= 65535),
  constraint carrier_protocol_check CHECK ((protocol = ANY (ARRAY['smpp'::text, 'http'::text])) OR carrier_id < 0 AND protocol = 'sandbox'::text),
  constraint carrier_submits_per_second_check CHECK (submits_per_second >= 1 AND submits_per_second <= 100000),
  constraint carrier_window_size_check CHECK (window_size >= 1 AND window_size <= 1000)
);
CREATE UNIQUE INDEX carrier_name ON carrier USING btree (name) WHERE removed_at IS NULL;
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON carrier FOR EACH ROW EXECUTE FUNCTION record_operator_change('name', '');

create table carrier_bind (
  carrier_id integer not null,
  slot smallint not null,
  owner text,
  epoch integer default 0 not null,
  lease_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint carrier_bind_pkey PRIMARY KEY (carrier_id, slot),
  constraint carrier_bind_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(carrier_id)
);

create table carrier_cost (
  carrier_id integer not null,
  valid_from timestamp with time zone not null,
  prefix text not null,
  cost bigint not null,
  currency text not null,
  constraint carrier_cost_pkey PRIMARY KEY (carrier_id, valid_from, prefix),
  constraint carrier_cost_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(carrier_id),
  constraint carrier_cost_cost_check CHECK (cost >= 0),
  constraint carrier_cost_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint carrier_cost_prefix_check CHECK (prefix ~ '^[1-9][0-9]{0,14}$'::text)
);
CREATE TRIGGER record_added_costs AFTER INSERT ON carrier_cost REFERENCING NEW TABLE AS changed_costs FOR EACH STATEMENT EXECUTE FUNCTION record_cost_changes();
CREATE TRIGGER record_removed_costs AFTER DELETE ON carrier_cost REFERENCING OLD TABLE AS changed_costs FOR EACH STATEMENT EXECUTE FUNCTION record_cost_changes();

create table carrier_test (
  message_id uuid not null,
  carrier_id integer not null,
  valid_until timestamp with time zone not null,
  constraint carrier_test_pkey PRIMARY KEY (message_id),
  constraint carrier_test_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(carrier_id)
);
CREATE INDEX carrier_test_valid ON carrier_test USING btree (valid_until);

create table cdr_difference (
  reconciliation_id text not null,
  number bigint not null,
  kind text not null,
  carrier_message_id text not null,
  message_id uuid,
  account_id bigint,
  sent_at timestamp with time zone,
  sent_segments integer,
  billed bigint,
  billed_currency text,
  expected_cost bigint,
  first_line bigint,
  lines integer,
  charged_segments integer,
  charged_cost bigint,
  constraint cdr_difference_pkey PRIMARY KEY (reconciliation_id, number)
);

create table cdr_line (
  reconciliation_id text not null,
  line bigint not null,
  carrier_message_id text not null,
  parts integer not null,
  cost bigint,
  at timestamp with time zone,
  constraint cdr_line_pkey PRIMARY KEY (reconciliation_id, line)
);

create table concatenation_counter (
  destination text not null,
  last smallint not null,
  used_at timestamp with time zone default now() not null,
  constraint concatenation_counter_pkey PRIMARY KEY (destination),
  constraint concatenation_counter_last_check CHECK (last >= 0 AND last <= 255)
) with (fillfactor=70);

create table console_token (
  token_id text not null,
  key_id text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint console_token_pkey PRIMARY KEY (token_id),
  constraint console_token_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(key_id) ON DELETE CASCADE
);
CREATE INDEX console_token_key_idx ON console_token USING btree (key_id, created_at);

create table credit_limit_change (
  account_id bigint not null,
  after_entry bigint not null,
  credit_limit bigint not null,
  set_at timestamp with time zone default now() not null,
  constraint credit_limit_change_pkey PRIMARY KEY (account_id, after_entry),
  constraint credit_limit_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint credit_limit_change_credit_limit_check CHECK (credit_limit >= 0)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON credit_limit_change FOR EACH ROW EXECUTE FUNCTION record_operator_change('account_id', 'set_at');

create table database_identity (
  is_only boolean default true not null,
  system_identifier bigint,
  database_oid bigint not null,
  orders_oid bigint not null,
  timeline integer,
  noticed_at timestamp with time zone default now() not null,
  constraint database_identity_pkey PRIMARY KEY (is_only),
  constraint database_identity_is_only_check CHECK (is_only)
);

create table deposit (
  account_id bigint not null,
  deposit_number bigint not null,
  kind text not null,
  reference text,
  reason text,
  amount bigint not null,
  currency text not null,
  fx_rate numeric(24,12) default 1 not null,
  account_amount bigint not null,
  created_at timestamp with time zone default now() not null,
  request_key text,
  constraint deposit_pkey PRIMARY KEY (account_id, deposit_number),
  constraint deposit_account_amount_check CHECK (account_amount <> 0),
  constraint deposit_amount_check CHECK (amount <> 0),
  constraint deposit_check CHECK (kind = 'adjustment'::text OR amount > 0),
  constraint deposit_kind_check CHECK (kind = ANY (ARRAY['deposit'::text, 'adjustment'::text]))
);
CREATE UNIQUE INDEX deposit_reference ON deposit USING btree (account_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX deposit_request_key ON deposit USING btree (account_id, request_key) WHERE request_key IS NOT NULL;
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON deposit FOR EACH ROW EXECUTE FUNCTION record_operator_change('account_id,deposit_number', '');

create table dispatch_backlog (
  account_id bigint not null,
  backlog_id bigint generated always as identity,
  carrier_id integer default 0 not null,
  lane smallint not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  sequences bigint[],
  owner text,
  constraint dispatch_backlog_pkey PRIMARY KEY (account_id, backlog_id),
  constraint dispatch_backlog_check CHECK (first_sequence <= last_sequence)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX dispatch_backlog_next ON dispatch_backlog USING btree (carrier_id, account_id, lane, first_sequence);

create table dispatch_hold (
  hold_id bigint generated always as identity,
  held_before timestamp with time zone not null,
  reason text not null,
  set_at timestamp with time zone default now() not null,
  released_at timestamp with time zone,
  constraint dispatch_hold_pkey PRIMARY KEY (hold_id),
  constraint dispatch_hold_reason_check CHECK (reason <> ''::text)
);
CREATE UNIQUE INDEX dispatch_hold_active ON dispatch_hold USING btree ((true)) WHERE released_at IS NULL;
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON dispatch_hold FOR EACH ROW EXECUTE FUNCTION record_operator_change('hold_id', '');

create table dispatch_turn (
  account_id bigint not null,
  carrier_id integer not null,
  turn bigint default nextval('dispatch_turn_order'::regclass) not null,
  taken integer default 0 not null,
  constraint dispatch_turn_pkey PRIMARY KEY (account_id, carrier_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX dispatch_turn_next ON dispatch_turn USING btree (carrier_id, turn);

create table doubtful_submit (
  message_id uuid not null,
  "position" smallint not null,
  carrier_id integer not null,
  destination text not null,
  reference integer not null,
  submitted_at timestamp with time zone not null,
  constraint doubtful_submit_pkey PRIMARY KEY (message_id, "position", submitted_at)
);
CREATE INDEX doubtful_submit_age ON doubtful_submit USING btree (submitted_at);
CREATE INDEX doubtful_submit_reference ON doubtful_submit USING btree (carrier_id, destination, reference);

create table event_batch (
  slot smallint not null,
  batch_id bigint not null,
  xid xid8 default pg_current_xact_id() not null,
  account_id bigint not null,
  type text not null,
  message_ids uuid[],
  codes text[],
  data jsonb,
  constraint event_batch_pkey PRIMARY KEY (slot, batch_id),
  constraint event_batch_check CHECK ((message_ids IS NULL) <> (data IS NULL))
) partition by LIST (slot);
create table event_batch_00 partition of event_batch FOR VALUES IN ('0');
create table event_batch_01 partition of event_batch FOR VALUES IN ('1');
create table event_batch_02 partition of event_batch FOR VALUES IN ('2');
create table event_batch_03 partition of event_batch FOR VALUES IN ('3');
create table event_batch_04 partition of event_batch FOR VALUES IN ('4');
create table event_batch_05 partition of event_batch FOR VALUES IN ('5');
create table event_batch_06 partition of event_batch FOR VALUES IN ('6');
create table event_batch_07 partition of event_batch FOR VALUES IN ('7');
create table event_batch_08 partition of event_batch FOR VALUES IN ('8');
create table event_batch_09 partition of event_batch FOR VALUES IN ('9');
create table event_batch_10 partition of event_batch FOR VALUES IN ('10');
create table event_batch_11 partition of event_batch FOR VALUES IN ('11');
create table event_batch_12 partition of event_batch FOR VALUES IN ('12');
create table event_batch_13 partition of event_batch FOR VALUES IN ('13');
create table event_batch_14 partition of event_batch FOR VALUES IN ('14');
create table event_batch_15 partition of event_batch FOR VALUES IN ('15');
CREATE INDEX event_batch_unread ON ONLY event_batch USING btree (account_id, xid, batch_id);

create table event_wish (
  account_id bigint not null,
  types text[] not null,
  constraint event_wish_pkey PRIMARY KEY (account_id)
);

create table function_file (
  path text not null,
  checksum text not null,
  functions text[] not null,
  version text not null,
  installed_at timestamp with time zone default now() not null,
  constraint function_file_pkey PRIMARY KEY (path)
);

create table fx_rate (
  from_currency text not null,
  to_currency text not null,
  rate numeric(24,12) not null,
  set_at timestamp with time zone default now() not null,
  constraint fx_rate_pkey PRIMARY KEY (from_currency, to_currency),
  constraint fx_rate_check CHECK (from_currency <> to_currency),
  constraint fx_rate_from_currency_check CHECK (from_currency ~ '^[A-Z]{3}$'::text),
  constraint fx_rate_rate_check CHECK (rate > 0::numeric),
  constraint fx_rate_to_currency_check CHECK (to_currency ~ '^[A-Z]{3}$'::text)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON fx_rate FOR EACH ROW EXECUTE FUNCTION record_operator_change('from_currency,to_currency', 'set_at');

create table guard (
  account_id bigint not null,
  settings jsonb not null,
  constraint guard_pkey PRIMARY KEY (account_id),
  constraint guard_account_id_check CHECK (account_id >= 0),
  constraint guard_settings_check CHECK (jsonb_typeof(settings) = 'object'::text)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON guard FOR EACH ROW EXECUTE FUNCTION record_operator_change('account_id', '');

create table held_account (
  account_id bigint not null,
  held_at timestamp with time zone default now() not null,
  constraint held_account_pkey PRIMARY KEY (account_id),
  constraint held_account_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON held_account FOR EACH ROW EXECUTE FUNCTION record_operator_change('account_id', '');

create table idempotency_key (
  account_id bigint not null,
  key text not null,
  fingerprint bytea not null,
  first_sequence bigint not null,
  order_count integer not null,
  created_at timestamp with time zone not null,
  constraint idempotency_key_pkey PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key USING btree (created_at);

create table inbound_keyword (
  word text not null,
  action text not null,
  language text not null,
  constraint inbound_keyword_pkey PRIMARY KEY (word),
  constraint inbound_keyword_action_check CHECK (action = ANY (ARRAY['stop'::text, 'start'::text, 'help'::text])),
  constraint inbound_keyword_language_check CHECK (language ~ '^[a-z]{2}$'::text),
  constraint inbound_keyword_word_check CHECK (length(word) >= 1 AND length(word) <= 40)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON inbound_keyword FOR EACH ROW EXECUTE FUNCTION record_operator_change('word', '');

create table inbound_message (
  inbound_id uuid not null,
  account_id bigint,
  number bigint,
  carrier_id integer not null,
  source text not null,
  destination text not null,
  message text not null,
  parts smallint not null,
  missing_parts smallint default 0 not null,
  keyword text,
  in_reply_to uuid,
  unassigned text,
  received_at timestamp with time zone default now() not null,
  constraint inbound_message_pkey PRIMARY KEY (inbound_id),
  constraint inbound_message_check CHECK ((account_id IS NULL) = (number IS NULL)),
  constraint inbound_message_check1 CHECK ((account_id IS NULL) = (unassigned IS NOT NULL)),
  constraint inbound_message_keyword_check CHECK (keyword = ANY (ARRAY['stop'::text, 'start'::text, 'help'::text])),
  constraint inbound_message_missing_parts_check CHECK (missing_parts >= 0 AND missing_parts <= 254),
  constraint inbound_message_parts_check CHECK (parts >= 1 AND parts <= 255),
  constraint inbound_message_unassigned_check CHECK (unassigned = ANY (ARRAY['unknown'::text, 'ambiguous'::text]))
);
CREATE UNIQUE INDEX inbound_message_number ON inbound_message USING btree (account_id, number) WHERE account_id IS NOT NULL;
CREATE INDEX inbound_message_received ON inbound_message USING btree (account_id, received_at) WHERE account_id IS NOT NULL;
CREATE INDEX inbound_message_source ON inbound_message USING btree (account_id, source, number) WHERE account_id IS NOT NULL;
CREATE INDEX inbound_message_unassigned ON inbound_message USING btree (inbound_id) WHERE account_id IS NULL;
CREATE INDEX inbound_message_unassigned_number ON inbound_message USING btree (received_at) WHERE account_id IS NULL AND source !~ '^[0-9]*[*]+$'::text;
CREATE INDEX inbound_message_unassigned_source ON inbound_message USING btree (source) WHERE account_id IS NULL;
CREATE INDEX inbound_message_unassigned_text ON inbound_message USING btree (received_at) WHERE account_id IS NULL AND message <> ''::text;

create table inbound_part (
  part_id bigint generated always as identity,
  carrier_id integer not null,
  received_at timestamp with time zone default now() not null,
  source text not null,
  destination text not null,
  fingerprint bytea not null,
  connection text not null,
  reference integer,
  total smallint,
  number smallint,
  content bytea,
  constraint inbound_part_pkey PRIMARY KEY (part_id),
  constraint inbound_part_check CHECK ((reference IS NULL) = (total IS NULL) AND (reference IS NULL) = (number IS NULL)),
  constraint inbound_part_fingerprint_check CHECK (length(fingerprint) = 32)
);
CREATE INDEX inbound_part_fingerprint ON inbound_part USING btree (fingerprint, carrier_id);
CREATE INDEX inbound_part_open ON inbound_part USING btree (source, destination, carrier_id) WHERE content IS NOT NULL;
CREATE INDEX inbound_part_received ON inbound_part USING btree (received_at);
CREATE INDEX inbound_part_source ON inbound_part USING btree (source) WHERE content IS NULL;

create table inbox (
  account_id bigint not null,
  last_number bigint not null,
  constraint inbox_pkey PRIMARY KEY (account_id),
  constraint inbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);

create table journal_entry (
  account_id bigint not null,
  entry bigint not null,
  kind entry_kind not null,
  debit ledger_bucket not null,
  credit ledger_bucket not null,
  amount bigint not null,
  available_after bigint not null,
  first_sequence bigint,
  last_sequence bigint,
  order_count integer,
  deposit_number bigint,
  reason text,
  created_at timestamp with time zone default now() not null,
  constraint journal_entry_pkey PRIMARY KEY (account_id, entry),
  constraint balanced_entry CHECK (((((kind::text || ':'::text) || debit::text) || '>'::text) || credit::text) = ANY ('{deposit:funding>available,reserve:available>reserved,capture:reserved>captured,release:reserved>available,refund:captured>available,adjust:funding>available,adjust:available>funding}'::text[])) NOT VALID,
  constraint journal_entry_amount_check CHECK (amount > 0)
);

create table ledger_verification (
  is_only boolean default true not null,
  begun_at timestamp with time zone not null,
  snapshot_at timestamp with time zone,
  took_seconds real,
  offenders jsonb,
  constraint ledger_verification_pkey PRIMARY KEY (is_only),
  constraint ledger_verification_is_only_check CHECK (is_only)
);

create table message_batch (
  batch_id uuid not null,
  account_id bigint not null,
  first_sequence bigint not null,
  order_count integer not null,
  constraint message_batch_pkey PRIMARY KEY (batch_id)
);
CREATE UNIQUE INDEX message_batch_sequence ON message_batch USING btree (account_id, first_sequence);

create table message_order (
  id uuid not null,
  account_id bigint not null,
  sequence bigint not null,
  recipient text not null,
  destination text not null,
  message text not null,
  extended boolean not null,
  segments smallint not null,
  price bigint not null,
  amount bigint not null,
  state order_state default 'queued'::order_state not null,
  epoch integer default 0 not null,
  attempts integer default 0 not null,
  owner text,
  carrier_id integer,
  carrier_code text,
  concatenation_reference smallint,
  lease_until timestamp with time zone,
  next_attempt_at timestamp with time zone,
  valid_until timestamp with time zone not null,
  due_at timestamp with time zone,
  sent_at timestamp with time zone,
  final_at timestamp with time zone,
  capture_entry bigint,
  release_entry bigint,
  created_at timestamp with time zone not null,
  cleared_hold bigint,
  wire_format_id integer,
  begun_sender text,
  only_carrier_id integer,
  send_at timestamp with time zone,
  sender text,
  validity_seconds integer,
  constraint message_order_pkey PRIMARY KEY (id),
  constraint message_order_check CHECK (amount >= 0 AND amount <= price),
  constraint message_order_price_check CHECK (price >= 0),
  constraint message_order_sandbox_check CHECK ((carrier_id < 0) = (account_id < 0)) NOT VALID,
  constraint message_order_segments_check CHECK (segments >= 1 AND segments <= 255)
) with (autovacuum_vacuum_scale_factor=0.02, fillfactor=45);
CREATE INDEX message_order_destination ON message_order USING btree (account_id, destination, sequence) WHERE destination IS NOT NULL;
CREATE INDEX message_order_due ON message_order USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX message_order_sequence ON message_order USING btree (account_id, sequence);

create table number_assignment (
  number text not null,
  account_id bigint not null,
  created_at timestamp with time zone default now() not null,
  constraint number_assignment_pkey PRIMARY KEY (number),
  constraint number_assignment_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint number_assignment_number_check CHECK (number ~ '^[0-9a-z ._-]{1,20}$'::text)
);
CREATE INDEX number_assignment_account ON number_assignment USING btree (account_id);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON number_assignment FOR EACH ROW EXECUTE FUNCTION record_operator_change('number', 'created_at');

create table number_hash_key (
  is_only boolean default true not null,
  secret text not null,
  constraint number_hash_key_pkey PRIMARY KEY (is_only),
  constraint number_hash_key_is_only_check CHECK (is_only)
);

create table open_batch (
  batch_id uuid not null,
  account_id bigint not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  next_sequence bigint not null,
  moved_at timestamp with time zone default now() not null,
  look_at timestamp with time zone default now() not null,
  constraint open_batch_pkey PRIMARY KEY (batch_id)
) with (fillfactor=50);
CREATE INDEX open_batch_look_at ON open_batch USING btree (look_at);

create table open_opt_out (
  account_id bigint not null,
  destination text not null,
  last_sequence bigint not null,
  due_at timestamp with time zone not null,
  constraint open_opt_out_pkey PRIMARY KEY (account_id, destination),
  constraint open_opt_out_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);
CREATE INDEX open_opt_out_due ON open_opt_out USING btree (due_at);

create table operator (
  operator_id integer generated always as identity,
  name text not null,
  role text not null,
  password_hash text not null,
  must_change_password boolean default false not null,
  totp_secret text,
  totp_pending_secret text,
  totp_step bigint default 0 not null,
  failures integer default 0 not null,
  locked_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  last_sign_in_at timestamp with time zone,
  disabled_at timestamp with time zone,
  constraint operator_pkey PRIMARY KEY (operator_id),
  constraint operator_name_check CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'::text),
  constraint operator_name_key UNIQUE (name),
  constraint operator_role_check CHECK (role = ANY (ARRAY['viewer'::text, 'support'::text, 'finance'::text, 'admin'::text]))
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON operator FOR EACH ROW EXECUTE FUNCTION record_operator_change('name', 'totp_pending_secret,totp_step,failures,locked_until,last_sign_in_at');

create table operator_change (
  change_id bigint generated always as identity,
  at timestamp with time zone default now() not null,
  operator text not null,
  actor jsonb not null,
  subject text not null,
  subject_id text not null,
  account_id bigint,
  action text not null,
  before jsonb,
  after jsonb,
  constraint operator_change_pkey PRIMARY KEY (change_id)
);
CREATE INDEX operator_change_account ON operator_change USING btree (account_id, change_id) WHERE account_id IS NOT NULL;
CREATE INDEX operator_change_at ON operator_change USING btree (at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON operator_change FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_record();

create table operator_recovery_code (
  operator_id integer not null,
  code_hash bytea not null,
  constraint operator_recovery_code_pkey PRIMARY KEY (operator_id, code_hash),
  constraint operator_recovery_code_code_hash_check CHECK (length(code_hash) = 32),
  constraint operator_recovery_code_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(operator_id) ON DELETE CASCADE
);

create table operator_session (
  session_hash bytea not null,
  session_id uuid default gen_random_uuid() not null,
  operator_id integer not null,
  started_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone default now() not null,
  address text not null,
  user_agent text not null,
  constraint operator_session_pkey PRIMARY KEY (session_hash),
  constraint operator_session_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(operator_id) ON DELETE CASCADE,
  constraint operator_session_session_hash_check CHECK (length(session_hash) = 32),
  constraint operator_session_session_id_key UNIQUE (session_id)
);
CREATE INDEX operator_session_operator ON operator_session USING btree (operator_id);

create table operator_token (
  token_id text not null,
  name text not null,
  role text not null,
  token_hash bytea not null,
  made_by text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint operator_token_pkey PRIMARY KEY (token_id),
  constraint operator_token_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint operator_token_role_check CHECK (role = ANY (ARRAY['viewer'::text, 'support'::text, 'finance'::text, 'admin'::text])),
  constraint operator_token_token_hash_check CHECK (length(token_hash) = 32),
  constraint operator_token_token_id_check CHECK (token_id ~ '^[0-9a-z]{8}$'::text)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON operator_token FOR EACH ROW EXECUTE FUNCTION record_operator_change('name', 'last_used_at');

create table order_exception (
  account_id bigint not null,
  state order_state not null,
  sequence bigint not null,
  constraint order_exception_pkey PRIMARY KEY (account_id, state, sequence)
);

create table order_label (
  account_id bigint not null,
  sequence bigint not null,
  reference text,
  tag text,
  constraint order_label_pkey PRIMARY KEY (account_id, sequence),
  constraint order_label_check CHECK (reference IS NOT NULL OR tag IS NOT NULL)
);
CREATE INDEX order_label_reference ON order_label USING btree (account_id, reference, sequence) WHERE reference IS NOT NULL;
CREATE INDEX order_label_tag ON order_label USING btree (account_id, tag, sequence) WHERE tag IS NOT NULL;

create table order_schedule (
  account_id bigint not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  send_at timestamp with time zone not null,
  lane smallint not null,
  constraint order_schedule_pkey PRIMARY KEY (account_id, first_sequence),
  constraint order_schedule_check CHECK (first_sequence <= last_sequence)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX order_schedule_account ON order_schedule USING btree (account_id, send_at);
CREATE INDEX order_schedule_due ON order_schedule USING btree (send_at);

create table order_transition (
  message_id uuid not null,
  at timestamp with time zone not null,
  from_state order_state not null,
  to_state order_state not null,
  actor text not null,
  carrier_code text,
  constraint legal_transition CHECK (((from_state::text || '>'::text) || to_state::text) = ANY ('{scheduled>queued,scheduled>failed,scheduled>canceled,queued>sending,queued>sent,queued>failed,queued>canceled,sending>sent,sending>queued,sending>failed,sending>unknown,sent>delivered,sent>undelivered,sent>unknown,unknown>delivered,unknown>undelivered,undelivered>delivered}'::text[])) NOT VALID,
  constraint order_transition_actor_check CHECK (actor = ANY (ARRAY['client'::text, 'worker'::text, 'receipt'::text, 'reconciler'::text, 'operator'::text])) NOT VALID
);
CREATE INDEX order_transition_message ON order_transition USING btree (message_id);

create table parked_receipt (
  receipt_id bigint generated always as identity,
  carrier_id integer not null,
  carrier_message_id text not null,
  user_message_reference integer,
  destination text not null,
  state text not null,
  carrier_code text not null,
  received_at timestamp with time zone default now() not null,
  unmarked boolean default false not null,
  constraint parked_receipt_pkey PRIMARY KEY (receipt_id),
  constraint parked_receipt_state_check CHECK (state = ANY (ARRAY['delivered'::text, 'undelivered'::text]))
);
CREATE INDEX parked_receipt_alike ON parked_receipt USING btree (carrier_message_id, carrier_id, destination, state, COALESCE(user_message_reference, '-1'::integer));
CREATE INDEX parked_receipt_destination ON parked_receipt USING btree (destination);
CREATE INDEX parked_receipt_received ON parked_receipt USING btree (received_at);

create table process_heartbeat (
  process_id text not null,
  role text not null,
  started_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone default now() not null,
  details jsonb default '{}'::jsonb not null,
  metrics jsonb default '[]'::jsonb not null,
  constraint process_heartbeat_pkey PRIMARY KEY (process_id)
) with (fillfactor=50);

create table reconciliation (
  reconciliation_id text not null,
  carrier_id integer not null,
  currency text,
  unit_cost bigint,
  tolerance bigint default 0 not null,
  from_at timestamp with time zone,
  to_at timestamp with time zone,
  edge_seconds integer not null,
  created_at timestamp with time zone default now() not null,
  compared_at timestamp with time zone,
  summary jsonb,
  constraint reconciliation_pkey PRIMARY KEY (reconciliation_id),
  constraint reconciliation_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(carrier_id),
  constraint reconciliation_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint reconciliation_edge_seconds_check CHECK (edge_seconds >= 0),
  constraint reconciliation_reconciliation_id_check CHECK (reconciliation_id ~ '^[0-9a-z]{16}$'::text),
  constraint reconciliation_tolerance_check CHECK (tolerance >= 0),
  constraint reconciliation_unit_cost_check CHECK (unit_cost >= 0)
);
CREATE INDEX reconciliation_created ON reconciliation USING btree (created_at);

create table redaction_due (
  account_id bigint not null,
  sequence bigint not null,
  text boolean not null,
  number boolean not null,
  look_at timestamp with time zone default now() not null,
  constraint redaction_due_pkey PRIMARY KEY (account_id, sequence)
);
CREATE INDEX redaction_due_look_at ON redaction_due USING btree (look_at);

create table redaction_request (
  account_id bigint not null,
  request_id bigint generated always as identity,
  number text not null,
  is_operators boolean not null,
  after_sequence bigint default 0 not null,
  last_sequence bigint not null,
  after_inbound bigint default 0 not null,
  last_inbound bigint not null,
  requested_at timestamp with time zone default now() not null,
  constraint redaction_request_pkey PRIMARY KEY (account_id, request_id),
  constraint redaction_request_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);

create table retention (
  is_only boolean default true not null,
  text_days integer,
  row_days integer,
  set_at timestamp with time zone default now() not null,
  number_days integer,
  constraint retention_pkey PRIMARY KEY (is_only),
  constraint retention_is_only_check CHECK (is_only),
  constraint retention_number_days_check CHECK (number_days >= 7 AND number_days <= 36500),
  constraint retention_row_days_check CHECK (row_days >= 7 AND row_days <= 36500),
  constraint retention_text_days_check CHECK (text_days >= 1 AND text_days <= 36500)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON retention FOR EACH ROW EXECUTE FUNCTION record_operator_change('is_only', 'set_at');

create table retired_function (
  signature text not null,
  retired_in text not null,
  constraint retired_function_pkey PRIMARY KEY (signature)
);

create table retired_part (
  account_id bigint not null,
  entry bigint not null,
  amount bigint not null,
  orders integer not null,
  constraint retired_part_pkey PRIMARY KEY (account_id, entry)
);

create table route (
  prefix text not null,
  carrier_id integer not null,
  rank smallint default 1 not null,
  weight smallint default 1 not null,
  cost bigint,
  currency text,
  created_at timestamp with time zone default now() not null,
  constraint route_pkey PRIMARY KEY (prefix, carrier_id),
  constraint route_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(carrier_id),
  constraint route_check CHECK ((cost IS NULL) = (currency IS NULL)),
  constraint route_cost_check CHECK (cost >= 0),
  constraint route_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint route_prefix_check CHECK (prefix ~ '^([1-9][0-9]{0,14})?$'::text),
  constraint route_rank_check CHECK (rank >= 1 AND rank <= 100),
  constraint route_weight_check CHECK (weight >= 1 AND weight <= 1000)
);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON route FOR EACH ROW EXECUTE FUNCTION record_operator_change('prefix,carrier', '');

create table schema_migration (
  id integer default nextval('schema_migration_id_seq'::regclass) not null,
  "timestamp" bigint not null,
  name character varying not null,
  constraint "PK_0edff5015b71cc0389ae0f4b9a1" PRIMARY KEY (id)
);

create table segment (
  message_id uuid not null,
  "position" smallint not null,
  state segment_state not null,
  epoch integer not null,
  attempt integer default 1 not null,
  carrier_id integer not null,
  carrier_message_id text,
  carrier_code text,
  submitted_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  settled_at timestamp with time zone,
  in_doubt_since timestamp with time zone,
  whole boolean default false not null,
  constraint segment_pkey PRIMARY KEY (message_id, "position")
) with (autovacuum_vacuum_scale_factor=0.05, fillfactor=50);
CREATE INDEX segment_carrier_message ON segment USING btree (carrier_message_id, carrier_id) WHERE carrier_message_id IS NOT NULL;
CREATE INDEX segment_in_doubt ON segment USING btree (carrier_id) WHERE in_doubt_since IS NOT NULL;

create table suppression (
  account_id bigint not null,
  number_hash bytea not null,
  source text not null,
  reason text,
  created_at timestamp with time zone default now() not null,
  constraint suppression_pkey PRIMARY KEY (account_id, number_hash),
  constraint suppression_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint suppression_number_hash_check CHECK (length(number_hash) = 16),
  constraint suppression_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 200),
  constraint suppression_source_check CHECK (source = ANY (ARRAY['client'::text, 'operator'::text, 'recipient'::text]))
);
CREATE INDEX suppression_newest ON suppression USING btree (account_id, created_at, number_hash);

create table tariff (
  tariff_id bigint generated always as identity,
  name text not null,
  currency text not null,
  is_default boolean default false not null,
  created_at timestamp with time zone default now() not null,
  base_tariff_id bigint,
  constraint tariff_pkey PRIMARY KEY (tariff_id),
  constraint tariff_base_tariff_id_fkey FOREIGN KEY (base_tariff_id) REFERENCES tariff(tariff_id),
  constraint tariff_check CHECK (base_tariff_id <> tariff_id),
  constraint tariff_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint tariff_name_key UNIQUE (name)
);
CREATE UNIQUE INDEX tariff_default_per_currency ON tariff USING btree (currency) WHERE is_default;
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON tariff FOR EACH ROW EXECUTE FUNCTION record_operator_change('name', '');

create table tariff_rate (
  tariff_id bigint not null,
  prefix text not null,
  price bigint not null,
  country text,
  valid_from timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint tariff_rate_pkey PRIMARY KEY (tariff_id, valid_from, prefix),
  constraint tariff_rate_country_check CHECK (length(country) >= 1 AND length(country) <= 100),
  constraint tariff_rate_prefix_check CHECK (prefix ~ '^[1-9][0-9]{0,14}$'::text),
  constraint tariff_rate_price_check CHECK (price >= 0),
  constraint tariff_rate_tariff_id_fkey FOREIGN KEY (tariff_id) REFERENCES tariff(tariff_id) ON DELETE CASCADE
);
CREATE TRIGGER record_added_rates AFTER INSERT ON tariff_rate REFERENCING NEW TABLE AS new_rates FOR EACH STATEMENT EXECUTE FUNCTION record_rate_changes();
CREATE TRIGGER record_changed_rates AFTER UPDATE ON tariff_rate REFERENCING OLD TABLE AS old_rates NEW TABLE AS new_rates FOR EACH STATEMENT EXECUTE FUNCTION record_rate_changes();
CREATE TRIGGER record_removed_rates AFTER DELETE ON tariff_rate REFERENCING OLD TABLE AS old_rates FOR EACH STATEMENT EXECUTE FUNCTION record_rate_changes();

create table text_key (
  key_id text not null,
  secret text not null,
  created_at timestamp with time zone default now() not null,
  constraint text_key_pkey PRIMARY KEY (key_id),
  constraint text_key_key_id_check CHECK (key_id ~ '^[0-9]{8}[0-9a-f]{4}$'::text)
);

create table traffic_move (
  at timestamp with time zone default now() not null,
  event order_state not null,
  accounts bigint[] not null,
  carriers integer[] not null,
  codes text[] not null,
  messages integer[] not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create table traffic_progress (
  account_id bigint not null,
  last_sequence bigint not null,
  constraint traffic_progress_pkey PRIMARY KEY (account_id)
);

create table traffic_reason (
  started_at timestamp with time zone not null,
  carrier_id integer not null,
  event order_state not null,
  code text not null,
  messages bigint not null,
  constraint traffic_reason_pkey PRIMARY KEY (started_at, carrier_id, event, code)
);

create table traffic_step (
  started_at timestamp with time zone not null,
  account_id bigint not null,
  carrier_id integer not null,
  event order_state not null,
  messages bigint not null,
  constraint traffic_step_pkey PRIMARY KEY (started_at, account_id, carrier_id, event)
);

create table usage_change (
  account_id bigint not null,
  chunk bigint not null
);
CREATE INDEX usage_change_chunk ON usage_change USING btree (account_id, chunk);

create table usage_chunk (
  account_id bigint not null,
  chunk bigint not null,
  day date not null,
  destination text not null,
  state order_state not null,
  unit_price bigint not null,
  messages integer not null,
  segments integer not null,
  amount bigint not null,
  constraint usage_chunk_pkey PRIMARY KEY (account_id, chunk, day, destination, state, unit_price)
);

create table usage_progress (
  account_id bigint not null,
  chunks bigint not null,
  constraint usage_progress_pkey PRIMARY KEY (account_id),
  constraint usage_progress_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);

create table usage_retired (
  account_id bigint not null,
  day date not null,
  destination text not null,
  state order_state not null,
  unit_price bigint not null,
  messages bigint not null,
  segments bigint not null,
  amount bigint not null,
  constraint usage_retired_pkey PRIMARY KEY (account_id, day, destination, state, unit_price)
);

create table velocity_count (
  hour timestamp with time zone not null,
  account_id bigint not null,
  key_hash bytea not null,
  messages integer not null,
  constraint velocity_count_pkey PRIMARY KEY (hour, account_id, key_hash)
);

create table velocity_gateway (
  hour timestamp with time zone not null,
  gateway_id text not null,
  holds boolean not null,
  constraint velocity_gateway_pkey PRIMARY KEY (hour, gateway_id)
);

create table webhook_attempt (
  attempt_id bigint generated always as identity,
  endpoint_id text not null,
  at timestamp with time zone default now() not null,
  batch_id bigint not null,
  index integer not null,
  type text not null,
  kind text not null,
  attempt integer not null,
  outcome text not null,
  http_status smallint,
  error text,
  duration_ms integer not null,
  next_attempt_at timestamp with time zone,
  constraint webhook_attempt_pkey PRIMARY KEY (attempt_id),
  constraint webhook_attempt_kind_check CHECK (kind = ANY (ARRAY['event'::text, 'test'::text, 'replay'::text])),
  constraint webhook_attempt_outcome_check CHECK (outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'given_up'::text]))
);
CREATE INDEX webhook_attempt_endpoint ON webhook_attempt USING btree (endpoint_id, attempt_id);
CREATE INDEX webhook_attempt_outcome ON webhook_attempt USING btree (endpoint_id, outcome, attempt_id);

create table webhook_endpoint (
  endpoint_id text not null,
  account_id bigint not null,
  url text not null,
  events text[] not null,
  description text default ''::text not null,
  secret text not null,
  old_secret text,
  overlap_until timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  disabled_at timestamp with time zone,
  disabled_reason text,
  constraint webhook_endpoint_pkey PRIMARY KEY (endpoint_id),
  constraint webhook_endpoint_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint webhook_endpoint_check CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  constraint webhook_endpoint_description_check CHECK (length(description) <= 200),
  constraint webhook_endpoint_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['client'::text, 'operator'::text, 'gone'::text, 'failing'::text])),
  constraint webhook_endpoint_endpoint_id_check CHECK (endpoint_id ~ '^we_[0-9a-z]{16}$'::text),
  constraint webhook_endpoint_events_check CHECK (cardinality(events) > 0),
  constraint webhook_endpoint_url_check CHECK (length(url) <= 2000)
);
CREATE INDEX webhook_endpoint_account ON webhook_endpoint USING btree (account_id);
CREATE TRIGGER record_operator_change AFTER INSERT OR DELETE OR UPDATE ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION record_operator_change('endpoint_id', '');

create table webhook_progress (
  endpoint_id text not null,
  cursor_xid xid8 not null,
  cursor_batch bigint not null,
  cursor_index integer default 0 not null,
  owner text,
  failures integer default 0 not null,
  failing_since timestamp with time zone,
  next_probe_at timestamp with time zone,
  last_success_at timestamp with time zone,
  last_error text,
  since pg_snapshot,
  constraint webhook_progress_pkey PRIMARY KEY (endpoint_id),
  constraint webhook_progress_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(endpoint_id) ON DELETE CASCADE
) with (fillfactor=50);

create table webhook_replay (
  replay_id bigint generated always as identity,
  endpoint_id text not null,
  from_batch bigint not null,
  until_batch bigint not null,
  cursor_xid xid8 default '0'::xid8 not null,
  cursor_batch bigint default 0 not null,
  cursor_index integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  constraint webhook_replay_pkey PRIMARY KEY (replay_id),
  constraint webhook_replay_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(endpoint_id) ON DELETE CASCADE
);
CREATE INDEX webhook_replay_endpoint ON webhook_replay USING btree (endpoint_id, replay_id);

create table webhook_retry (
  endpoint_id text not null,
  batch_id bigint not null,
  index integer not null,
  kind text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone default now() not null,
  constraint webhook_retry_pkey PRIMARY KEY (endpoint_id, batch_id, index),
  constraint webhook_retry_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(endpoint_id) ON DELETE CASCADE,
  constraint webhook_retry_kind_check CHECK (kind = ANY (ARRAY['event'::text, 'test'::text, 'replay'::text]))
);
CREATE INDEX webhook_retry_due ON webhook_retry USING btree (endpoint_id, due_at);

create table wire_format (
  wire_format_id integer generated by default as identity,
  format text not null,
  whole boolean not null,
  created_at timestamp with time zone default now() not null,
  constraint wire_format_pkey PRIMARY KEY (wire_format_id),
  constraint wire_format_format_key UNIQUE (format)
);
