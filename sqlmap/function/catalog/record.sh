#!/bin/sh
# Records the catalogue of PostgreSQL 15 (types, functions, operators, casts, aggregates) as tab-separated files that
# package function embeds. Connection parameters come from libpq's environment (PGHOST, PGPORT, PGUSER).
set -eu
cd "$(dirname "$0")"

record() {
	psql -X -q -v ON_ERROR_STOP=1 -c "copy ($2) to stdout (format text, header)" >"$1"
}

record types.tsv "
select oid, typname as name, typlen as length, typbyval as by_value, typtype as kind, typcategory as category,
  typispreferred as preferred, typdelim as delimiter, typelem as element, typarray as array,
  typinput::oid::int as input, typoutput::oid::int as output, typreceive::oid::int as receive, typsend::oid::int as send,
  typmodin::oid::int as modifier_input, typmodout::oid::int as modifier_output, typalign as align, typstorage as storage,
  typcollation as collation, typsubscript::oid::int as subscript
from pg_type t
where oid < 10000 and typtype <> 'c'
  and not exists (select 1 from pg_type e where e.oid = t.typelem and e.typtype = 'c') order by oid"

record functions.tsv "
select oid, proname as name,
  case when prolang = 14 or prokind = 'a' then proname || '(' || coalesce((select string_agg(t.typname, ',' order by n)
    from unnest(proargtypes::oid[]) with ordinality a(o, n) join pg_type t on t.oid = o), '') || ')' else prosrc end as source,
  prokind as kind, proretset as returns_set, proisstrict as strict, provolatile as volatility, prorettype as result,
  array_to_string(proargtypes::oid[], ' ') as arguments, provariadic as variadic, pronargdefaults as default_count,
  coalesce(pg_get_expr(proargdefaults, 0), '') as defaults, array_to_string(coalesce(proargmodes, '{}'), '') as modes,
  array_to_string(coalesce(proallargtypes, '{}'), ' ') as all_arguments,
  array_to_string(coalesce(proargnames, '{}'), ' ') as names, prolang as language, proleakproof as leakproof,
  proparallel as parallel, procost as cost, prorows as rows
from pg_proc where oid < 10000 and pronamespace = 11 or oid = 'information_schema._pg_expandarray'::regproc order by oid"

record operators.tsv "
select oid, oprname as name, oprkind as kind, oprcanmerge as merges, oprcanhash as hashes, oprleft as left,
  oprright as right, oprresult as result, oprcom as commutator, oprnegate as negator, oprcode::oid::int as function,
  oprrest::oid::int as restriction, oprjoin::oid::int as join
from pg_operator where oid < 10000 order by oid"

record casts.tsv "
select oid, castsource as source, casttarget as target, castfunc as function, castcontext as context, castmethod as method
from pg_cast order by castsource, casttarget"

record aggregates.tsv "
select aggfnoid::oid::int as function, aggkind as kind, aggnumdirectargs as direct_arguments,
  aggtransfn::oid::int as transition, aggfinalfn::oid::int as final, aggtranstype as state, aggsortop as sort_operator
from pg_aggregate where aggfnoid::oid < 10000 order by aggfnoid::oid"

record keywords.tsv "select word, catcode as category, barelabel as bare_label, catdesc as description, baredesc as bare_description
from pg_get_keywords() order by word collate \"C\""

record time_zones.tsv "select name from pg_timezone_names where name !~ '^(posix|right)/' order by name collate \"C\""
