#!/bin/sh
# Records the shape and the fixed rows of PostgreSQL's catalogs, from a fresh PostgreSQL 15, into this folder.
# Usage: record.sh "host=... port=... user=postgres dbname=postgres"
set -eu
cd "$(dirname "$0")"
connection=$1
run() { psql -X -q -At -F '	' -v ON_ERROR_STOP=1 -d "$connection" "$@"; }

# One line for each column: schema, relation, oid, relkind, row type, shared, column, type (of a domain: its base type),
# modifier, not null.
run -c "
SELECT n.nspname, c.relname, c.oid, c.relkind, c.reltype, c.relisshared, a.attname,
       CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END,
       CASE WHEN a.atttypmod = -1 AND t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END, a.attnotnull
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
  AND c.oid < 16384
ORDER BY n.nspname DESC, c.relname, a.attnum" > columns.tsv

# The rows of catalogs that no client changes and that package function does not keep, in COPY's text format; regproc columns
# as numbers.
for table in pg_am pg_opclass pg_opfamily pg_language pg_range pg_tablespace pg_collation; do
  where=true
  if [ $table = pg_collation ]; then where="oid IN (100, 950, 951)"; fi
  columns=$(run -c "SELECT string_agg(attname || CASE WHEN atttypid = 'regproc'::regtype THEN '::oid' ELSE '' END, ', ' ORDER BY attnum)
    FROM pg_attribute WHERE attrelid = 'pg_catalog.$table'::regclass AND attnum > 0")
  run -c "COPY (SELECT $columns FROM pg_catalog.$table WHERE $where ORDER BY 1) TO STDOUT" > $table.tsv
done

# The names of the time zones.
run -c "SELECT name FROM pg_timezone_names WHERE name !~ '^(posix|localtime|Factory)' ORDER BY name" > zones.txt
