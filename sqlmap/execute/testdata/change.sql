CREATE TABLE t (a int PRIMARY KEY, b text NOT NULL DEFAULT 'none', c bigint, UNIQUE (c));
----
done

CREATE TABLE s (a int, b text);
----
done

INSERT INTO t VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', NULL);
----
3 rows

INSERT INTO t (a) VALUES (4);
----
1 rows

INSERT INTO t (c, a) VALUES (50, 5) RETURNING a, b, c + 1 AS d, *;
----
a:integer b:text d:bigint a:integer b:text c:bigint
5|none|51|5|none|50

INSERT INTO t DEFAULT VALUES;
----
ERROR 23502: null value in column "a" of relation "t" violates not-null constraint
DETAIL Failing row contains (null, none, null).

INSERT INTO t VALUES (6, NULL, 7);
----
ERROR 23502: null value in column "b" of relation "t" violates not-null constraint
DETAIL Failing row contains (6, null, 7).

INSERT INTO t VALUES (1, 'again');
----
ERROR 23505: duplicate key value violates unique constraint "t_pkey"
DETAIL Key (a)=(1) already exists.

INSERT INTO t VALUES (7, DEFAULT, 70), (8, 'eight', DEFAULT);
----
2 rows

SELECT * FROM t ORDER BY a;
----
a:integer b:text c:bigint
1|one|10
2|two|20
3|three|NULL
4|none|NULL
5|none|50
7|none|70
8|eight|NULL

INSERT INTO s SELECT a, b FROM t WHERE a <= 3;
----
3 rows

INSERT INTO s SELECT 100, 'x';
----
1 rows

INSERT INTO s (b) SELECT NULL;
----
1 rows

INSERT INTO s VALUES ('12', 34);
----
1 rows

INSERT INTO s VALUES (1.6, now()::date - now()::date);
----
1 rows

SELECT * FROM s ORDER BY a, b;
----
a:integer b:text
1|one
2|0
2|two
3|three
12|34
100|x
NULL|NULL

INSERT INTO s SELECT a + 1000, b FROM s;
----
7 rows

SELECT count(*) FROM s;
----
count:bigint
14

UPDATE t SET c = c + 1 WHERE a <= 2;
----
2 rows

UPDATE t SET b = 'x' || t.b FROM s WHERE s.a = t.a AND t.a < 3 RETURNING t.a, t.b, s.b;
----
a:integer b:text b:text
1|xone|one
2|xtwo|two

UPDATE t SET (b, c) = (SELECT b, 99 FROM s WHERE s.a = 3) WHERE a = 3;
----
1 rows

UPDATE t SET (b, c) = ('r', DEFAULT) WHERE a = 4;
----
1 rows

UPDATE t SET b = DEFAULT WHERE a = 5 RETURNING *;
----
a:integer b:text c:bigint
5|none|50

UPDATE t SET b = NULL WHERE a = 5;
----
ERROR 23502: null value in column "b" of relation "t" violates not-null constraint
DETAIL Failing row contains (5, null, 50).

UPDATE t SET a = a + 100 WHERE a = 8;
----
1 rows

SELECT * FROM t ORDER BY a;
----
a:integer b:text c:bigint
1|xone|11
2|xtwo|21
3|three|99
4|r|NULL
5|none|50
7|none|70
108|eight|NULL

DELETE FROM s USING t WHERE s.a = t.a AND t.a = 1 RETURNING s.a, t.b;
----
a:integer b:text
1|xone

DELETE FROM s WHERE a > 1000;
----
6 rows

DELETE FROM s WHERE ctid IN ('(0,2)', '(0,3)');
----
2 rows

SELECT count(*) FROM s;
----
count:bigint
5

INSERT INTO t VALUES (1, 'dup', 5), (200, 'new', 201) ON CONFLICT DO NOTHING;
----
1 rows

INSERT INTO t VALUES (1, 'up', 1), (300, 'new', 301) ON CONFLICT (a) DO UPDATE SET b = excluded.b || '/' || t.b, c = excluded.c RETURNING *;
----
a:integer b:text c:bigint
1|up/xone|1
300|new|301

INSERT INTO t VALUES (1, 'up', 1) ON CONFLICT (a) DO UPDATE SET b = 'w' WHERE t.c > 100;
----
0 rows

INSERT INTO t VALUES (400, 'x', 401), (400, 'y', 402) ON CONFLICT (a) DO UPDATE SET b = 'z';
----
ERROR 21000: ON CONFLICT DO UPDATE command cannot affect row a second time
HINT Ensure that no rows proposed for insertion within the same command have duplicate constrained values.

INSERT INTO t VALUES (400, 'x', 401) ON CONFLICT (b) DO NOTHING;
----
ERROR 42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification

WITH d AS (DELETE FROM t WHERE a >= 200 RETURNING a, b) INSERT INTO s SELECT a, b FROM d;
----
2 rows

WITH u AS (UPDATE t SET c = 0 - a WHERE a < 3 RETURNING a, c) SELECT * FROM u ORDER BY a;
----
a:integer c:bigint
1|-1
2|-2

WITH n(tid, cid) AS (VALUES (1, 'q'), (2, NULL)) UPDATE t SET b = COALESCE(CAST(cid AS text), b) FROM n WHERE a = tid;
----
2 rows

SELECT * FROM t ORDER BY a;
----
a:integer b:text c:bigint
1|q|-1
2|xtwo|-2
3|three|99
4|r|NULL
5|none|50
7|none|70
108|eight|NULL

SELECT a, b FROM s ORDER BY a, b;
----
a:integer b:text
2|0
12|34
100|x
200|new
300|new
NULL|NULL
NULL|NULL

INSERT INTO t (a, a) VALUES (1, 2);
----
ERROR 42701: column "a" specified more than once
at 19

INSERT INTO t (nosuch) VALUES (1);
----
ERROR 42703: column "nosuch" of relation "t" does not exist
at 16

INSERT INTO t (a) VALUES (1, 2);
----
ERROR 42601: INSERT has more expressions than target columns
at 30

INSERT INTO t (a, b) VALUES (1);
----
ERROR 42601: INSERT has more target columns than expressions
at 19

INSERT INTO t VALUES (1, 2, 3, 4);
----
ERROR 42601: INSERT has more expressions than target columns
at 32

INSERT INTO t VALUES ('x');
----
ERROR 22P02: invalid input syntax for type integer: "x"
at 23

INSERT INTO t VALUES (true);
----
ERROR 42804: column "a" is of type integer but expression is of type boolean
at 23
HINT You will need to rewrite or cast the expression.

UPDATE t SET nosuch = 1;
----
ERROR 42703: column "nosuch" of relation "t" does not exist
at 14

UPDATE t SET a = 'x';
----
ERROR 22P02: invalid input syntax for type integer: "x"
at 18

UPDATE t SET a = true;
----
ERROR 42804: column "a" is of type integer but expression is of type boolean
at 18
HINT You will need to rewrite or cast the expression.

UPDATE t SET a = 1, a = 2;
----
ERROR 42601: multiple assignments to same column "a"

DELETE FROM nosuch;
----
ERROR 42P01: relation "nosuch" does not exist
at 13

UPDATE t SET b = 'x' FROM nosuch;
----
ERROR 42P01: relation "nosuch" does not exist
at 27
