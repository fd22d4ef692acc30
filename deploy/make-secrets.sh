#!/bin/sh
# Makes the secrets that docker-compose.yml reads, each in a file of its own: sh deploy/make-secrets.sh [FOLDER]
# Existing secrets stay. Only root and you can enter the folder. Every user of a container can read the files in it,
# because Compose mounts them as they are. Keep a copy of secrets-key apart from the backups of the database.
set -eu
folder=${1:-secrets}
umask 022
mkdir -p "$folder"
chmod 700 "$folder"

random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
keep() {
  if [ ! -s "$folder/$1" ]; then
    printf '%s\n' "$2" > "$folder/$1"
    echo "made $folder/$1"
  fi
}

keep postgres-password "$(random 18)"
keep redis-password "$(random 18)"
keep operator-password "$(random 18)"
keep metrics-password "$(random 18)"
keep secrets-key "$(random 32)"
keep database-url "postgres://heliograph:$(cat "$folder/postgres-password")@postgres:5432/heliograph"
keep redis-url "redis://:$(cat "$folder/redis-password")@redis:6379"
keep redis.conf "requirepass $(cat "$folder/redis-password")"
