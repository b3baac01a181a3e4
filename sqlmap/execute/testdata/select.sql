CREATE TABLE t (a int PRIMARY KEY, b text, c bigint, d numeric(10,2), e boolean, f double precision, g timestamptz);
----
done

CREATE TABLE u (a int, x varchar(10), y smallint, z date);
----
done

INSERT INTO t VALUES (1, 'one', 10, 1.5, true, 0.5, '2026-01-02 03:04:05+00'), (2, 'two', NULL, 2.25, false, NULL, NULL), (3, NULL, 30, NULL, NULL, -1e10, '2026-01-03'), (4, 'four', 10, 4, true, 'NaN', 'infinity'), (5, 'five', 50, 5.125, false, 2, now());
----
5 rows

INSERT INTO u VALUES (1, 'x1', 1, '2026-01-01'), (1, 'x2', 2, NULL), (3, 'x3', 3, '2026-02-01'), (NULL, 'none', NULL, NULL), (7, 'x7', 7, '2026-03-01');
----
5 rows

SELECT * FROM t WHERE a <= 4;
----
a:integer b:text c:bigint d:numeric(10,2) e:boolean f:double precision g:timestamp with time zone
1|one|10|1.50|t|0.5|2026-01-02 03:04:05+00
2|two|NULL|2.25|f|NULL|NULL
3|NULL|30|NULL|NULL|-10000000000|2026-01-03 00:00:00+00
4|four|10|4.00|t|NaN|infinity

SELECT a, b FROM t WHERE a = '3';
----
a:integer b:text
3|NULL

SELECT "a", "b" FROM "t" WHERE "c" = '10' AND "b" = 'four' COLLATE "C";
----
a:integer b:text
4|four

SELECT b, a FROM t WHERE b IN ('one', 'two', 'six') ORDER BY a DESC;
----
b:text a:integer
two|2
one|1

SELECT a FROM t WHERE c IS NULL;
----
a:integer
2

SELECT a FROM t WHERE c IS NOT NULL AND NOT e;
----
a:integer
5

SELECT a, c + 1 AS next, c / 3, c % 7, -c, d * 2, f FROM t WHERE a < 4 ORDER BY c DESC NULLS LAST, a;
----
a:integer next:bigint ?column?:bigint ?column?:bigint ?column?:bigint ?column?:numeric f:double precision
3|31|10|2|-30|NULL|-10000000000
1|11|3|3|-10|3.00|0.5
2|NULL|NULL|NULL|NULL|4.50|NULL

SELECT NULL FROM t LIMIT 2;
----
?column?:text
NULL
NULL

SELECT 1, 'x', NULL, 1.5, true, 2147483648, 9223372036854775808, '5'::int, date '2026-01-01';
----
?column?:integer ?column?:text ?column?:text ?column?:numeric ?column?:boolean ?column?:bigint ?column?:numeric int4:integer date:date
1|x|NULL|1.5|t|2147483648|9223372036854775808|5|2026-01-01

SELECT t.a, u.x FROM t JOIN u ON t.a = u.a ORDER BY 1, 2;
----
a:integer x:character varying(10)
1|x1
1|x2
3|x3

SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.a ORDER BY t.a, x;
----
a:integer x:character varying(10)
1|x1
1|x2
2|NULL
3|x3
4|NULL
5|NULL

SELECT t.a, u.x FROM t RIGHT JOIN u ON t.a = u.a ORDER BY t.a NULLS FIRST, x;
----
a:integer x:character varying(10)
NULL|none
NULL|x7
1|x1
1|x2
3|x3

SELECT t.a, u.a, u.x FROM t FULL JOIN u ON t.a = u.a ORDER BY t.a, u.a, x;
----
a:integer a:integer x:character varying(10)
1|1|x1
1|1|x2
2|NULL|NULL
3|3|x3
4|NULL|NULL
5|NULL|NULL
NULL|7|x7
NULL|NULL|none

SELECT t.a, u.a FROM t FULL JOIN u ON t.a = u.a AND u.y > 1 ORDER BY 1, 2;
----
a:integer a:integer
1|1
2|NULL
3|3
4|NULL
5|NULL
NULL|1
NULL|7
NULL|NULL

SELECT a, b, x FROM t JOIN u USING (a) ORDER BY x;
----
a:integer b:text x:character varying(10)
1|one|x1
1|one|x2
3|NULL|x3

SELECT * FROM t NATURAL JOIN u ORDER BY x;
----
a:integer b:text c:bigint d:numeric(10,2) e:boolean f:double precision g:timestamp with time zone x:character varying(10) y:smallint z:date
1|one|10|1.50|t|0.5|2026-01-02 03:04:05+00|x1|1|2026-01-01
1|one|10|1.50|t|0.5|2026-01-02 03:04:05+00|x2|2|NULL
3|NULL|30|NULL|NULL|-10000000000|2026-01-03 00:00:00+00|x3|3|2026-02-01

SELECT a, t.a, u.a FROM t FULL JOIN u USING (a) ORDER BY 1, 2, 3;
----
a:integer a:integer a:integer
1|1|1
1|1|1
2|2|NULL
3|3|3
4|4|NULL
5|5|NULL
7|NULL|7
NULL|NULL|NULL

SELECT t.a, u.a FROM t, u WHERE t.a > u.y ORDER BY 1, 2;
----
a:integer a:integer
2|1
3|1
3|1
4|1
4|1
4|3
5|1
5|1
5|3

SELECT t.a, u.a FROM t CROSS JOIN u WHERE t.a = 1 ORDER BY x;
----
a:integer a:integer
1|NULL
1|1
1|1
1|3
1|7

SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.a IS NULL ORDER BY 1;
----
a:integer
2
4
5

SELECT t.a, v.s FROM t LEFT JOIN (SELECT a, 'k' AS s FROM u WHERE y > 1) v ON v.a = t.a ORDER BY 1;
----
a:integer s:text
1|k
2|NULL
3|k
4|NULL
5|NULL

SELECT (SELECT max(a) FROM t), (SELECT b FROM t WHERE a = 99);
----
max:integer b:text
5|NULL

SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t ORDER BY a;
----
a:integer count:bigint
1|2
2|0
3|1
4|0
5|0

SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a) ORDER BY a;
----
a:integer
1
3

SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a) ORDER BY a;
----
a:integer
2
4
5

SELECT a FROM t WHERE a IN (SELECT a FROM u) ORDER BY a;
----
a:integer
1
3

SELECT a FROM t WHERE a NOT IN (SELECT a FROM u) ORDER BY a;
----
a:integer

SELECT a FROM t WHERE a NOT IN (SELECT a FROM u WHERE a IS NOT NULL) ORDER BY a;
----
a:integer
2
4
5

SELECT a FROM t WHERE (a, b) IN (SELECT a, 'one' FROM u) ORDER BY a;
----
a:integer
1

SELECT a FROM t WHERE a > ALL (SELECT y FROM u WHERE y < 4) ORDER BY a;
----
a:integer
4
5

SELECT a FROM t WHERE c >= ANY (SELECT c FROM t) ORDER BY a;
----
a:integer
1
3
4
5

SELECT a FROM t WHERE a = (SELECT max(a) FROM t);
----
a:integer
5

SELECT ARRAY(SELECT a FROM t ORDER BY a DESC), ARRAY[1, 2, 3], ARRAY[[1,2],[3,4]], (ARRAY[10,20,30])[2], (ARRAY[10,20,30])[2:3];
----
array:integer[] array:integer[] array:integer[] array:integer array:integer[]
{5,4,3,2,1}|{1,2,3}|{{1,2},{3,4}}|20|{20,30}

SELECT a FROM t WHERE a = ANY ('{1,3,9}') ORDER BY a;
----
a:integer
1
3

SELECT a FROM t WHERE a <> ALL (ARRAY[1, 3]) ORDER BY a;
----
a:integer
2
4
5

SELECT count(*), count(c), sum(c), avg(c), min(b), max(b), sum(d), bool_and(e), string_agg(b, ',' ORDER BY b DESC) FROM t;
----
count:bigint count:bigint sum:numeric avg:numeric min:text max:text sum:numeric bool_and:boolean string_agg:text
5|4|100|25.0000000000000000|five|two|12.88|f|two,one,four,five

SELECT c, count(*), array_agg(a ORDER BY a) FROM t GROUP BY c ORDER BY c;
----
c:bigint count:bigint array_agg:integer[]
10|2|{1,4}
30|1|{3}
50|1|{5}
NULL|1|{2}

SELECT c, count(*) AS n FROM t GROUP BY 1 HAVING count(*) > 1;
----
c:bigint n:bigint
10|2

SELECT c + 1 AS k, count(*) FROM t GROUP BY c + 1 ORDER BY k;
----
k:bigint count:bigint
11|2
31|1
51|1
NULL|1

SELECT a, b, count(*) FROM t GROUP BY a ORDER BY a LIMIT 2;
----
a:integer b:text count:bigint
1|one|1
2|two|1

SELECT count(DISTINCT c), sum(DISTINCT c), count(*) FILTER (WHERE e) FROM t;
----
count:bigint sum:numeric count:bigint
3|90|2

SELECT count(*) FROM t WHERE false;
----
count:bigint
0

SELECT c FROM t WHERE false GROUP BY c;
----
c:bigint

SELECT DISTINCT c FROM t ORDER BY c;
----
c:bigint
10
30
50
NULL

SELECT DISTINCT ON (c) c, a FROM t ORDER BY c, a DESC;
----
c:bigint a:integer
10|4
30|3
50|5
NULL|2

SELECT a FROM t UNION SELECT a FROM u ORDER BY a;
----
a:integer
1
2
3
4
5
7
NULL

SELECT a FROM t UNION ALL SELECT y FROM u ORDER BY 1;
----
a:integer
1
1
2
2
3
3
4
5
7
NULL

SELECT a FROM t INTERSECT SELECT a FROM u ORDER BY a;
----
a:integer
1
3

SELECT a FROM t EXCEPT SELECT a FROM u ORDER BY a;
----
a:integer
2
4
5

SELECT a FROM u EXCEPT ALL SELECT a FROM t ORDER BY a;
----
a:integer
1
7
NULL

SELECT 1 AS x UNION ALL SELECT 2.5 UNION ALL SELECT NULL ORDER BY 1;
----
x:numeric
1
2.5
NULL

SELECT 'a' UNION SELECT 'b' ORDER BY 1;
----
?column?:text
a
b

SELECT NULL UNION SELECT NULL;
----
?column?:text
NULL

VALUES (1, 'a', true), (2, NULL, false);
----
column1:integer column2:text column3:boolean
1|a|t
2|NULL|f

VALUES (1), (2.5), (NULL) ORDER BY 1 DESC LIMIT 2;
----
column1:numeric
NULL
2.5

SELECT v.k, v.n * 2 AS n FROM (VALUES ('a', 1), ('b', 2)) AS v(k, n) ORDER BY k;
----
k:text n:integer
a|2
b|4

WITH x AS (SELECT a, c FROM t WHERE c > 5), y(n) AS (SELECT count(*) FROM x) SELECT x.a, y.n FROM x, y ORDER BY 1;
----
a:integer n:bigint
1|4
3|4
4|4
5|4

WITH RECURSIVE f(n, p, q) AS (SELECT 1, 0::bigint, 1::bigint UNION ALL SELECT n + 1, q, p + q FROM f WHERE n < 10) SELECT n, p FROM f;
----
n:integer p:bigint
1|0
2|1
3|1
4|2
5|3
6|5
7|8
8|13
9|21
10|34

WITH RECURSIVE s(n) AS (VALUES (1) UNION SELECT (n * 2) % 7 FROM s) SELECT n FROM s ORDER BY n;
----
n:integer
1
2
4

WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r LIMIT 3;
----
n:integer
1
2
3

SELECT t.a, l.x FROM t CROSS JOIN LATERAL (SELECT x FROM u WHERE u.a = t.a ORDER BY x DESC LIMIT 1) l ORDER BY 1;
----
a:integer x:character varying(10)
1|x2
3|x3

SELECT t.a, l.n FROM t LEFT JOIN LATERAL (SELECT count(*) n FROM u WHERE u.a = t.a) l ON true ORDER BY 1;
----
a:integer n:bigint
1|2
2|0
3|1
4|0
5|0

SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1;
----
a:integer
2
3

SELECT c FROM t ORDER BY c FETCH FIRST 1 ROW WITH TIES;
----
c:bigint
10
10

SELECT a FROM t ORDER BY b;
----
a:integer
5
4
1
2
3

SELECT a AS b, b AS a FROM t ORDER BY a NULLS FIRST, b;
----
b:integer a:text
3|NULL
5|five
4|four
1|one
2|two

SELECT CASE WHEN a = 1 THEN 'first' WHEN a % 2 = 0 THEN 'even' END, CASE a WHEN 1 THEN 'x' ELSE 'y' END FROM t ORDER BY a;
----
case:text case:text
first|x
even|y
NULL|y
even|y
NULL|y

SELECT COALESCE(b, '-'), NULLIF(a, 2), GREATEST(a, c), LEAST(a, 2, NULL) FROM t ORDER BY a;
----
coalesce:text nullif:integer greatest:bigint least:integer
one|1|10|1
two|NULL|2|2
-|3|30|2
four|4|10|2
five|5|50|2

SELECT a IS DISTINCT FROM NULL, c IS NOT DISTINCT FROM 10, (c > 20) IS TRUE, (c > 20) IS NOT UNKNOWN, e IS FALSE FROM t ORDER BY a;
----
?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean
t|t|f|t|f
t|f|f|f|t
t|f|t|t|f
t|t|f|t|f
t|f|t|t|t

SELECT a FROM t WHERE a BETWEEN 2 AND 4 AND a NOT BETWEEN SYMMETRIC 5 AND 4 ORDER BY a;
----
a:integer
2
3

SELECT b LIKE 'f%', b ILIKE 'F%', b NOT LIKE '%o%', b SIMILAR TO '(one|two)', b ~ '^f' FROM t ORDER BY a;
----
?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean
f|f|f|t|f
f|f|f|t|f
NULL|NULL|NULL|NULL|NULL
t|t|f|f|t
t|t|t|f|t

SELECT (1, 2) < (1, 3), ROW(1, NULL) = ROW(1, NULL), ROW(1, 2) = ROW(1, 3), (1, NULL) IS NULL, ROW(NULL, NULL) IS NULL, (2, NULL) > (1, 5);
----
?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean
t|NULL|f|f|t|t

SELECT r FROM (SELECT a, b FROM t WHERE a < 3) r ORDER BY 1;
----
r:record
(1,one)
(2,two)

SELECT (r).b, r.a FROM (SELECT a, b FROM t WHERE a < 3) r ORDER BY 2;
----
b:text a:integer
one|1
two|2

SELECT t.* FROM t, u WHERE t.a = u.a AND u.x = 'x3';
----
a:integer b:text c:bigint d:numeric(10,2) e:boolean f:double precision g:timestamp with time zone
3|NULL|30|NULL|NULL|-10000000000|2026-01-03 00:00:00+00

SELECT true AND NULL, false AND NULL, true OR NULL, NOT NULL::boolean;
----
?column?:boolean ?column?:boolean ?column?:boolean ?column?:boolean
NULL|f|t|NULL

SELECT tt.ctid, a FROM t tt WHERE ctid = '(0,2)';
----
ctid:tid a:integer
(0,2)|2

SELECT a FROM t WHERE ctid IN ('(0,1)', '(0,3)', '(9,9)') ORDER BY a;
----
a:integer
1
3

SELECT g, g * 2 FROM generate_series(1, 3) g;
----
g:integer ?column?:integer
1|2
2|4
3|6

SELECT * FROM generate_series(1, 2) WITH ORDINALITY AS s(v, o);
----
v:integer o:bigint
1|1
2|2

SELECT * FROM unnest(ARRAY[1, 2, 3], ARRAY['a', 'b']) AS t(n, s);
----
n:integer s:text
1|a
2|b
3|NULL

SELECT a, generate_series(1, a) FROM t WHERE a < 4 ORDER BY 1, 2;
----
a:integer generate_series:integer
1|1
2|1
2|2
3|1
3|2
3|3

SELECT generate_series(1, 3), generate_series(10, 11);
----
generate_series:integer generate_series:integer
1|10
2|11
3|NULL

SELECT g, count(u.a) FROM generate_series(0, 3) g LEFT JOIN u ON u.a = g GROUP BY g ORDER BY g;
----
g:integer count:bigint
0|0
1|2
2|0
3|1

SELECT count(*) FROM t a, t b, t c WHERE a.a = b.a AND b.c = c.c;
----
count:bigint
6

SELECT x.a FROM (SELECT a FROM t WHERE a > 1) x JOIN (SELECT a FROM u) y ON x.a = y.a;
----
a:integer
3

SELECT now() = current_timestamp, current_date = now()::date, current_user = session_user;
----
?column?:boolean ?column?:boolean ?column?:boolean
t|t|t

SELECT extract(year FROM timestamp '2026-01-02'), timestamptz '2026-01-02 03:04:05+00' AT TIME ZONE 'America/New_York', position('b' IN 'abc'), substring('abcdef' FROM 2 FOR 3), trim(BOTH 'x' FROM 'xax');
----
extract:numeric timezone:timestamp without time zone position:integer substring:text btrim:text
2026|2026-01-01 22:04:05|2|bcd|a
