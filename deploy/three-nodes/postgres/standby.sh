#!/bin/sh
# Starts a standby: the first time with a copy of the primary.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # A copy that was interrupted is made again.
  rm -rf "${PGDATA:?}"/*
  chmod 700 "$PGDATA"
  pg_basebackup --pgdata="$PGDATA" --wal-method=stream --checkpoint=fast --slot=standby --write-recovery-conf \
    --dbname="host=$PRIMARY port=${PRIMARY_PORT:-5432} user=replicator application_name=standby"
fi
exec "$@"
