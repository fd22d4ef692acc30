# Sets the addresses of the servers, and their passwords apart, for psql, pg_dump, pg_restore, vacuumdb and redis-cli.
# `ps` shows every user of the machine what stands on a command line, and nobody else's environment. Read it in the
# shell of root that you work in, with `.`: the address of PostgreSQL is then "$DB", that of Redis "$REDIS".
# Another folder than that of docs/going-live.md: CREDENTIALS=FOLDER before it.
credentials=${CREDENTIALS:-/etc/heliograph/credentials}

# With PgBouncer, database-direct-url leads to the server itself, where these programs belong.
database=$credentials/database-url
if [ -s "$credentials/database-direct-url" ]; then database=$credentials/database-direct-url; fi
DB=$(sed -E 's|//([^:@/]*):[^/]*@|//\1@|' "$database")

# A password in an address is percent-encoded, and in a variable it is not.
password_of() {
  sed -nE 's|^[^/]*//[^:@/]*:([^/]*)@.*|\1|p' "$1" |
    node -p 'decodeURIComponent(require("node:fs").readFileSync(0, "utf8").trim())'
}
PGPASSWORD=$(password_of "$database")
export PGPASSWORD

# redis-cli takes the name of a user by --user only.
if [ -s "$credentials/redis-url" ]; then
  REDIS=$(sed -E 's|//[^/]*@|//|' "$credentials/redis-url")
  REDISCLI_AUTH=$(password_of "$credentials/redis-url")
  export REDISCLI_AUTH
  if [ -z "$REDISCLI_AUTH" ]; then unset REDISCLI_AUTH; fi
fi
unset credentials database
unset -f password_of
