#!/bin/sh
# Prepares a new primary for its standby: a role, a slot that keeps the log for it, and commits that wait for it.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$REPLICATION_PASS" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
SELECT pg_create_physical_replication_slot('standby');
-- If the standby is gone for long, its slot is given up rather than the disk filled.
ALTER SYSTEM SET max_slot_wal_keep_size = '16GB';
-- Holds from the next start on: what is acknowledged is on two servers.
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
