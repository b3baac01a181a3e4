#!/bin/sh
# Records the run-time parameters that package setting knows, from a fresh PostgreSQL 15, into settings.tsv. Where the
# value depends on the machine, the portable one is written.
# Usage: record.sh "host=... port=... user=postgres dbname=postgres"
set -eu
cd "$(dirname "$0")"
psql -X -q -At -F '	' -v ON_ERROR_STOP=1 -d "$1" -c "
SELECT name, coalesce(unit, ''), category, short_desc, context, vartype, coalesce(min_val, ''), coalesce(max_val, ''),
       coalesce(array_to_string(enumvals, ','), ''),
       CASE WHEN name LIKE 'lc\\_%' THEN 'C' WHEN name IN ('TimeZone', 'log_timezone') THEN 'UTC' WHEN name = 'DateStyle' THEN 'ISO, MDY'
            WHEN name = 'jit' THEN 'off' WHEN name IN ('server_encoding', 'client_encoding') THEN 'UTF8'
            WHEN name = 'default_text_search_config' THEN 'pg_catalog.simple'
            WHEN name IN ('application_name', 'server_version', 'server_version_num', 'search_path') THEN boot_val
            ELSE coalesce(CASE WHEN context = 'internal' THEN setting ELSE boot_val END, '') END
FROM pg_settings
WHERE (context = 'user' AND category !~ '(Logging|Developer|Preloading)' AND name NOT IN ('backend_flush_after', 'exit_on_error',
         'temp_buffers', 'client_connection_check_interval', 'stats_fetch_consistency'))
   OR (context = 'internal' AND name !~ '^(debug_|shared_memory|wal_|segment_|ssl_|data_directory)')
   OR name IN ('max_connections', 'superuser_reserved_connections', 'max_prepared_transactions', 'fsync', 'full_page_writes',
         'deadlock_timeout', 'password_encryption', 'lc_messages', 'cluster_name', 'listen_addresses', 'ssl', 'max_stack_depth',
         'transaction_isolation', 'log_timezone')
ORDER BY lower(name)" > settings.tsv
