/**
 * One step of the schema. Its text is `migrations/<file>.sql`; once a version with it is published, it never changes.
 */
export interface Migration {
  readonly file: string;
  /** The name under which `schema_migration` records that it has run. */
  readonly name: string;
  /** What it brings, in half a sentence for operators; printed after it has run on a database of an earlier version. */
  readonly summary: string;
}

/**
 * Every migration, oldest first. They change tables only, and go forward only: the next one mends a mistake. The
 * functions are installed after them, by `install-functions.ts`.
 */
export const MIGRATIONS: readonly Migration[] = [
  migration('1763600000000-initial-schema', 'the tables of 0.1'),
  migration('1763700000000-carriers-and-routes', 'carriers by HTTP, routes, shared binds and senders of accounts'),
  migration('1763700200000-dispatch-hold', 'a hold on open messages after a restore'),
  migration('1763700400000-dispatch-by-route', 'messages that no route serves fail at once'),
  migration('1763800000000-cheaper-statements', 'cheaper claims, answers and receipts'),
  migration('1763800200000-fair-dispatch', 'accounts take turns, and may have a cap on messages in flight'),
  migration('1763840000000-retention', 'retention of texts and messages'),
  migration('1763840100000-growth', 'housekeeping in slices'),
  migration('1763850000000-long-backlogs', 'long backlogs cost no more than short ones'),
  migration('1763860000000-fewer-passes', 'fewer statements for each message'),
  migration(
    '1763900100000-wire-format',
    'the claim of a message says how it is written, and changed settings count from the next claim on',
  ),
  migration(
    '1763900200000-simulators',
    'simulators are marked, and take nothing beside a real carrier; a carrier can be tested with one message',
  ),
  migration(
    '1763900300000-operators',
    'what operators change is recorded (`smsctl audit`); accounts with the same name got their number behind it',
  ),
  migration(
    '1763900400000-fuller-lists',
    'lists tell reason, times and segments of each message, and the booked amount of each deposit',
  ),
  migration('1763900500000-limits-by-message', 'limits of accounts count messages'),
  migration('1763900600000-no-secrets-of-removed-carriers', 'passwords and TLS keys of removed carriers are deleted'),
  migration('1763902000000-repeatable-functions', 'the SQL functions are installed apart from the migrations'),
  migration('1763904000000-room-for-row-versions', 'pages of messages keep room, so that each change costs less'),
  migration(
    '1763905000000-one-pipeline',
    'messages wait in the backlogs of accounts and travel on the queue of their carrier',
  ),
  migration('1763920000000-find-and-follow', 'messages are found by number, reference and tag'),
  migration('1763930000000-bounds-of-keys', 'API keys have a name, scopes, networks, an expiry and their last use'),
  migration('1763940000000-scheduled-and-canceled', 'two more statuses: scheduled and canceled'),
  migration('1763940100000-send-later', 'messages are sent later, canceled, and sent with a sender of their own'),
  migration('1763950000000-test-mode', 'test keys, and a sandbox for the messages that are sent with them'),
  migration('1763960000000-webhooks', 'clients are told of events by webhooks'),
  migration('1763970000000-batch-events', 'clients are told when a whole batch is final'),
  migration('1763980000000-balance-alert', 'clients are told when their balance is low'),
  migration('1763985000000-carrier-validity', 'carriers are told the validity that a client asked for'),
  migration('1764010000000-traffic', 'operators see what was accepted, delivered and failed in the last hour'),
  migration('1764015000000-ledger-verification', 'workers verify the ledger once an hour'),
  migration('1764020000000-named-operators', 'operators have names, roles, sessions and tokens'),
  migration('1764025000000-console-tokens', 'owners of accounts sign in to the console with tokens that end'),
  migration('1764030000000-booked-once', 'a deposit that is asked for twice is booked once'),
  migration('1764040000000-suppression', 'each account has a list of numbers that it must send nothing to'),
  migration('1764042000000-inbound', 'messages from handsets are stored, and STOP and START are obeyed'),
  migration('1764050000000-guards', 'guards on countries, prices, spend and velocity'),
  migration('1764051000000-reconciliations', 'records of carriers are compared with the messages that they took'),
  migration('1764052000000-tariff-versions', 'price lists change at planned times, and are based on others'),
  migration('1764053000000-carrier-costs', 'what carriers charge is known by prefix and time'),
  migration('1764060000000-redaction', 'texts and numbers are redacted, by account, by time and on demand'),
  migration('1764070000000-text-keys', 'texts of messages can be stored encrypted'),
  migration('1764080000000-unmatched-receipts', 'unmatched receipts are found by time and by number'),
  migration('1764090000000-unmarked-receipts', 'receipts that a person may have written are told from others'),
  migration('1764100000000-receipts-alike', 'unmatched receipts that are alike are all kept'),
  migration('1764110000000-answers-by-time', 'the answers since a time are found without reading older ones'),
  migration('1764120000000-rotated-keys', 'a key that is rotated twice is replaced by one that lives on'),
  migration('1764130000000-webhook-since', 'a webhook is told of all that is committed after it was added'),
  migration('1764140000000-searches-by-number', 'a new database finds the messages of its backlog by their sequences'),
  migration('1764150000000-answers-of-nobody', 'unassigned messages from handsets are found by what is to be redacted'),
];

/** `1763840100000-growth` is recorded as `Growth1763840100000`. */
function migration(file: string, summary: string): Migration {
  const [timestamp = '', ...words] = file.split('-');
  const title = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return { file, name: title + timestamp, summary };
}
