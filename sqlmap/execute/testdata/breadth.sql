CREATE TABLE ducklake_snapshot (snapshot_id bigint PRIMARY KEY, snapshot_time timestamptz, schema_version bigint, next_catalog_id bigint, next_file_id bigint);
----
done

CREATE TABLE ducklake_table (table_id bigint, table_uuid uuid, begin_snapshot bigint, end_snapshot bigint, schema_id bigint, table_name varchar, path varchar, path_is_relative boolean);
----
done

CREATE TABLE ducklake_column (column_id bigint, begin_snapshot bigint, end_snapshot bigint, table_id bigint, column_order bigint, column_name varchar, column_type varchar, parent_column bigint);
----
done

CREATE TABLE ducklake_column_stats (table_id bigint, column_id bigint, contains_null boolean, contains_nan boolean, min_value varchar, max_value varchar, extra_stats varchar);
----
done

INSERT INTO ducklake_snapshot VALUES (0, '2026-01-01 00:00:00+00', 0, 1, 0), (1, '2026-01-01 01:00:00+00', 1, 2, 0), (2, NOW(), 1, 2, 1);
----
3 rows

INSERT INTO ducklake_table VALUES (1, '01a22acb-1aca-7733-9696-d417c3f511f5', 1, NULL, 0, 'test', 'test/', true), (2, '01a22acb-1aca-7733-9696-d417c3f511f6', 1, 2, 0, 'gone', 'gone/', true);
----
2 rows

INSERT INTO ducklake_column VALUES (1, 1, NULL, 1, 1, 'i', 'int32', NULL), (2, 1, NULL, 1, 2, 's', 'struct', NULL), (3, 1, NULL, 1, 3, 'f', 'varchar', 2), (4, 1, 2, 2, 1, 'x', 'int64', NULL);
----
4 rows

INSERT INTO ducklake_column_stats VALUES (1, 1, false, NULL, '1', '9', NULL), (1, 2, NULL, NULL, NULL, NULL, NULL);
----
2 rows

SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM ducklake_snapshot);
----
snapshot_id:bigint schema_version:bigint next_catalog_id:bigint next_file_id:bigint
2|1|2|1

SELECT "snapshot_id", "schema_version" FROM (SELECT snapshot_id, schema_version FROM ducklake_snapshot WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM ducklake_snapshot)) AS __unnamed_subquery;
----
snapshot_id:bigint schema_version:bigint
2|1

WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, false, NULL, '5', '6', NULL),(1, 2, false, NULL, '1', '3', NULL)
)
UPDATE ducklake_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid;
----
2 rows

SELECT * FROM ducklake_column_stats ORDER BY column_id;
----
table_id:bigint column_id:bigint contains_null:boolean contains_nan:boolean min_value:character varying max_value:character varying extra_stats:character varying
1|1|f|NULL|5|6|NULL
1|2|f|NULL|1|3|NULL

WITH dropped_cols(tid, cid) AS (
VALUES (1, 2)
)
UPDATE ducklake_column
SET end_snapshot = 8
FROM dropped_cols
WHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL;
----
1 rows

UPDATE ducklake_table SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1);
----
1 rows

UPDATE ducklake_column SET end_snapshot = NULL WHERE column_id = 2;
----
1 rows

DELETE FROM ducklake_snapshot WHERE ctid IN ('(0,1)','(0,9)');
----
1 rows

DELETE FROM ducklake_column_stats
WHERE column_id IN (2, 5, 6, 7, 8);
----
1 rows

WITH live AS (SELECT * FROM ducklake_table WHERE end_snapshot = 2), n AS (SELECT table_id, count(*) c FROM ducklake_column GROUP BY 1) SELECT table_name, c FROM live JOIN n USING (table_id) ORDER BY 1;
----
table_name:character varying c:bigint
gone|1
test|3

WITH RECURSIVE tree(column_id, table_id, path, depth) AS (SELECT column_id, table_id, column_name::text, 0 FROM ducklake_column WHERE parent_column IS NULL UNION ALL SELECT c.column_id, c.table_id, tree.path || '.' || c.column_name, depth + 1 FROM ducklake_column c JOIN tree ON c.parent_column = tree.column_id AND c.table_id = tree.table_id) SELECT path, depth FROM tree ORDER BY table_id, path;
----
path:text depth:integer
i|0
s|0
s.f|1
x|0

SELECT t.table_name, (SELECT count(*) FROM ducklake_column c WHERE c.table_id = t.table_id AND c.end_snapshot IS NULL) AS cols FROM ducklake_table t ORDER BY 1;
----
table_name:character varying cols:bigint
gone|0
test|3

SELECT s.schema_version, t.table_name, c.column_name FROM ducklake_snapshot s JOIN ducklake_table t ON t.begin_snapshot = s.snapshot_id LEFT JOIN ducklake_column c USING (table_id) ORDER BY 1, 2, 3;
----
schema_version:bigint table_name:character varying column_name:character varying
1|gone|x
1|test|f
1|test|i
1|test|s

SELECT g AS snapshot, count(t.table_id) AS tables, count(t.table_id) FILTER (WHERE t.end_snapshot IS NOT NULL) FROM ducklake_snapshot s(g) LEFT JOIN ducklake_table t ON t.begin_snapshot <= g AND (t.end_snapshot > g OR t.end_snapshot IS NULL) GROUP BY 1 ORDER BY 1;
----
snapshot:bigint tables:bigint count:bigint
1|2|2
2|0|0

SELECT t.table_name, p.column_name AS parent, c.column_name FROM ducklake_column c JOIN ducklake_column p ON p.column_id = c.parent_column AND p.table_id = c.table_id JOIN ducklake_table t ON t.table_id = c.table_id ORDER BY 1, c.column_id;
----
table_name:character varying parent:character varying column_name:character varying
test|s|f

WITH r AS (SELECT column_type, count(*) AS n, row_number() OVER (ORDER BY count(*) DESC, column_type) AS rk FROM ducklake_column GROUP BY 1) SELECT CASE WHEN rk <= 2 THEN column_type ELSE 'others' END AS k, sum(n)::bigint AS n FROM r GROUP BY 1 ORDER BY 2 DESC, 1;
----
k:character varying n:bigint
others|2
int32|1
int64|1

SELECT "source"."n" AS "n", count(*) AS "count" FROM (SELECT "ducklake_table"."path_is_relative" AS "n", "ducklake_table"."table_id" FROM "ducklake_table") AS "source" WHERE "source"."table_id" >= 1 AND ("source"."n" IS NULL OR "source"."n" = true OR "source"."n" = false) GROUP BY "source"."n" ORDER BY "source"."n" ASC LIMIT 2000;
----
n:boolean count:bigint
t|2

SELECT d::date AS day, coalesce(x.n, 0) AS n FROM generate_series(date '2026-01-01', date '2026-01-04', '1 day') d LEFT JOIN (VALUES (date '2026-01-02', 5), (date '2026-01-04', 7)) x(day, n) ON x.day = d::date ORDER BY 1;
----
day:date n:integer
2026-01-01|0
2026-01-02|5
2026-01-03|0
2026-01-04|7

SELECT path_is_relative::text, path_is_relative::int, sum(path_is_relative::int) OVER (), table_id::text || '-' || path_is_relative FROM ducklake_table ORDER BY table_id;
----
path_is_relative:text path_is_relative:integer sum:bigint ?column?:text
true|1|2|1-true
true|1|2|2-true

SELECT count(*) FROM ONLY ducklake_table;
----
count:bigint
2

SELECT row_to_json(r), to_json(r), (r).x FROM (SELECT 1 AS x, 'y' AS y) r;
----
row_to_json:json to_json:json x:integer
{"x":1,"y":"y"}|{"x":1,"y":"y"}|1

SELECT row_to_json(c), c IS NULL FROM ducklake_table t LEFT JOIN (SELECT column_id, column_name FROM ducklake_column WHERE column_id = 4) c ON c.column_id = t.table_id + 2 ORDER BY t.table_id;
----
row_to_json:json ?column?:boolean
NULL|t
{"column_id":4,"column_name":"x"}|f

SELECT count(c), count(*) FROM ducklake_table t LEFT JOIN ducklake_column c ON c.column_id = t.table_id + 2 AND c.column_id = 4;
----
count:bigint count:bigint
1|2

SELECT key, value FROM json_each_text('{"a":1,"b":"two"}');
----
key:text value:text
a|1
b|two

SELECT regexp_matches('a1b2', '[0-9]', 'g');
----
regexp_matches:text[]
{1}
{2}

SELECT table_name OPERATOR(pg_catalog.~) '^(t.*)$' COLLATE pg_catalog.default FROM ducklake_table ORDER BY 1;
----
?column?:boolean
f
t

SELECT pg_catalog.lower('A'), pg_catalog.count(*) FROM ducklake_table;
----
lower:text count:bigint
a|2

SELECT a.n, b.n FROM (SELECT 1 AS n) a, LATERAL (SELECT a.n + 1 AS n) b, LATERAL generate_series(b.n, b.n + 1) c ORDER BY c;
----
n:integer n:integer
1|2
1|2

SELECT x, y FROM (SELECT 1 AS x) a JOIN LATERAL (SELECT x * 2 AS y) b ON b.y = 2;
----
x:integer y:integer
1|2

SELECT t.table_id, c.column_id FROM (ducklake_table t JOIN ducklake_column c ON c.table_id = t.table_id) ORDER BY 1, 2;
----
table_id:bigint column_id:bigint
1|1
1|2
1|3
2|4

SELECT j.column_id, j.table_name FROM (ducklake_table t JOIN ducklake_column c USING (table_id)) AS j ORDER BY 1;
----
column_id:bigint table_name:character varying
1|test
2|test
3|test
4|gone

SELECT k.table_id FROM ducklake_table t JOIN ducklake_column c USING (table_id) AS k ORDER BY 1;
----
table_id:bigint
1
1
1
2

SELECT t.table_id FROM ducklake_table t WHERE t.table_id IN (SELECT c.table_id FROM ducklake_column c WHERE c.begin_snapshot = t.begin_snapshot) AND EXISTS (SELECT 1 FROM ducklake_snapshot s WHERE s.snapshot_id = t.begin_snapshot) ORDER BY 1;
----
table_id:bigint
1
2

SELECT x, x IN (1, NULL), x NOT IN (1, 2), x IN (SELECT 1 UNION ALL SELECT NULL) FROM (VALUES (1), (2), (NULL)) AS v(x);
----
x:integer ?column?:boolean ?column?:boolean ?column?:boolean
1|t|f|t
2|NULL|f|NULL
NULL|NULL|NULL|NULL

SELECT x = ANY (SELECT 2), x <> ALL (SELECT g FROM generate_series(1, 2) g), x > ANY (ARRAY[1, NULL]) FROM (VALUES (1), (2), (3)) AS v(x);
----
?column?:boolean ?column?:boolean ?column?:boolean
f|f|NULL
t|f|t
f|t|t

SELECT (1, 2) = (SELECT 1, 2), (1, 2) < (SELECT 1, 3), (1, 2) = (SELECT 1, 2 WHERE false), (1, 'a') IN (VALUES (1, 'a'), (2, 'b'));
----
?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean
t|t|NULL|t

SELECT ARRAY(SELECT ARRAY[g, g + 1] FROM generate_series(1, 2) g), ARRAY[]::int[], ARRAY['a', 'b']::varchar[], ARRAY[1, 2.5], (ARRAY[[1,2],[3,4]])[1:2][2:2], ('{1,2,3}'::int[])[4];
----
array:integer[] array:integer[] array:character varying[] array:numeric[] array:integer[] int4:integer
{{1,2},{2,3}}|{}|{a,b}|{1,2.5}|{{2},{4}}|NULL

SELECT B'101', X'1F', E'a\tb', U&'\0061', $$x'y$$, 1e3, .5;
----
?column?:bit ?column?:bit ?column?:text ?column?:text ?column?:text ?column?:numeric ?column?:numeric
101|00011111|a	b|a|x'y|1000|0.5

SELECT interval '1 day', interval '2' hour, '1 day'::interval * 2, timestamp(0) '2026-01-02 03:04:05.6', time '03:04', numeric '1.50', char(3) 'ab';
----
interval:interval interval:interval hour ?column?:interval timestamp:timestamp(0) without time zone time:time without time zone numeric:numeric bpchar:character(3)
1 day|02:00:00|2 days|2026-01-02 03:04:06|03:04:00|1.50|ab 

SELECT 'a' || 1, 1 || 'a', 'x' || NULL, 2 ^ 3, @ -5, |/ 16.0, 7 & 3, ~1, 1 << 3, 5 # 1;
----
?column?:text ?column?:text ?column?:text ?column?:double precision ?column?:integer ?column?:double precision ?column?:integer ?column?:integer ?column?:integer ?column?:integer
a1|1a|NULL|8|5|4|3|-2|8|4

SELECT DISTINCT x FROM (VALUES (1.0), (1.00), (2)) AS v(x) ORDER BY x;
----
x:numeric
1.0
2

SELECT a.x, b.x FROM (VALUES (1), (2)) a(x) JOIN (VALUES (1.0), (2.5)) b(x) ON a.x = b.x;
----
x:integer x:numeric
1|1.0

SELECT a.x, b.x FROM (VALUES ('a'::varchar), ('b')) a(x) JOIN (VALUES ('a'::text)) b(x) USING (x);
----
x:character varying x:text
a|a

SELECT a.x, b.x FROM (VALUES (1::smallint), (2)) a(x) FULL JOIN (VALUES (1::bigint), (3)) b(x) ON a.x = b.x ORDER BY 1, 2;
----
x:integer x:bigint
1|1
2|NULL
NULL|3

SELECT a.x FROM (VALUES (1), (2), (NULL)) a(x) LEFT JOIN (VALUES (1), (NULL)) b(x) ON a.x = b.x AND b.x > 0 WHERE b.x IS NULL ORDER BY 1;
----
x:integer
2
NULL

(SELECT 1 AS n UNION ALL SELECT 2) EXCEPT (SELECT 2) ORDER BY n;
----
n:integer
1

SELECT 1 AS n INTERSECT SELECT 1 UNION SELECT 3 ORDER BY n DESC LIMIT 1;
----
n:integer
3

SELECT * FROM (VALUES (1), (1), (2), (2), (2)) a(x) INTERSECT ALL SELECT * FROM (VALUES (1), (2), (2)) b(x) ORDER BY 1;
----
x:integer
1
2
2

SELECT * FROM (SELECT 1 AS a UNION ALL SELECT 2) q WHERE a > 1;
----
a:integer
2

SELECT (SELECT t.table_id), t.table_name FROM ducklake_table t ORDER BY (SELECT t.table_name);
----
table_id:bigint table_name:character varying
2|gone
1|test

SELECT 1 WHERE false;
----
?column?:integer

SELECT CURRENT_SCHEMA, LOCALTIMESTAMP = now()::timestamp, CURRENT_CATALOG = current_database() WHERE CURRENT_TIME IS NOT NULL AND LOCALTIME IS NOT NULL;
----
current_schema:name ?column?:boolean ?column?:boolean
recorded|t|t

SELECT nullif('a', 'a'), nullif(1, 2.0), coalesce(NULL, 'x'), greatest('a', 'b'), least(1, 2.5);
----
nullif:text nullif:numeric coalesce:text greatest:text least:numeric
NULL|1|x|b|1

SELECT CASE WHEN 1 = 1 THEN 1 ELSE 2.5 END, CASE 'a' WHEN 'a' THEN NULL ELSE 'x' END, CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END;
----
case:numeric case:text case:text
1|NULL|two

SELECT tableoid = tableoid, ctid FROM ducklake_snapshot WHERE snapshot_id = 1;
----
?column?:boolean ctid:tid
t|(0,2)

SELECT max(snapshot_time) >= min(snapshot_time) FROM ducklake_snapshot;
----
?column?:boolean
t

SELECT table_id AS a, table_id AS b FROM ducklake_table GROUP BY a, b ORDER BY a;
----
a:bigint b:bigint
1|1
2|2

SELECT substring('foobar' FROM 'o(.)b'), overlay('abcdef' PLACING 'XX' FROM 2 FOR 3), 'abc' LIKE 'a\_c' ESCAPE '\', 'a_c' LIKE 'a#_c' ESCAPE '#';
----
substring:text overlay:text ?column?:boolean ?column?:boolean
o|aXXef|f|t

SELECT extract(epoch FROM interval '1 day'), date_part('month', date '2026-01-02'), (date '2026-01-01', date '2026-02-01') OVERLAPS (date '2026-01-15', date '2026-03-01');
----
extract:numeric date_part:double precision overlaps:boolean
86400.000000|1|t

SELECT make_interval(days => 2), format('%s-%s', VARIADIC ARRAY['a', 'b']), concat_ws(',', 'a', NULL, 'b');
----
make_interval:interval format:text concat_ws:text
2 days|a-b|a,b

SELECT pg_typeof(1), pg_typeof('x'), pg_typeof(ARRAY[1]), pg_typeof(1.5);
----
pg_typeof:regtype pg_typeof:regtype pg_typeof:regtype pg_typeof:regtype
integer|unknown|integer[]|numeric

SELECT snapshot_id FROM ducklake_snapshot WHERE snapshot_id > 0 ORDER BY 1 FOR SHARE;
----
snapshot_id:bigint
1
2

SELECT t.table_id FROM ducklake_table t JOIN ducklake_column c USING (table_id) ORDER BY 1 LIMIT 1 FOR UPDATE OF t;
----
table_id:bigint
1

SELECT count(*) FROM ducklake_table FOR UPDATE;
----
ERROR 0A000: FOR UPDATE is not allowed with aggregate functions

SELECT 1 FROM ducklake_table FOR UPDATE OF nosuch;
----
ERROR 42P01: relation "nosuch" in FOR UPDATE clause not found in FROM clause
at 44

SELECT * FROM generate_series(9223372036854775806, 9223372036854775807) g;
----
g:bigint
9223372036854775806
9223372036854775807

SELECT count(*), sum(g) FROM generate_series(10, 1, -4) g;
----
count:bigint sum:bigint
3|18

SELECT * FROM generate_series(1, NULL) g;
----
g:integer

SELECT * FROM generate_series(1, 2, 0) g;
----
ERROR 22023: step size cannot equal zero
