CREATE TABLE t (a int PRIMARY KEY, b text, c bigint, created_at timestamptz);
----
done

CREATE TABLE u (a int, x text);
----
done

SELECT nosuch FROM t;
----
ERROR 42703: column "nosuch" does not exist
at 8

SELECT t.nosuch FROM t;
----
ERROR 42703: column t.nosuch does not exist
at 8

SELECT x.a FROM t;
----
ERROR 42P01: missing FROM-clause entry for table "x"
at 8

SELECT t.a FROM t AS y;
----
ERROR 42P01: invalid reference to FROM-clause entry for table "t"
at 8
HINT Perhaps you meant to reference the table alias "y".

SELECT create_at FROM t;
----
ERROR 42703: column "create_at" does not exist
at 8
HINT Perhaps you meant to reference the column "t.created_at".

SELECT t.creted_at FROM t;
----
ERROR 42703: column t.creted_at does not exist
at 8
HINT Perhaps you meant to reference the column "t.created_at".

SELECT * FROM nosuch;
----
ERROR 42P01: relation "nosuch" does not exist
at 15

SELECT * FROM public.nosuch;
----
ERROR 42P01: relation "public.nosuch" does not exist
at 15

SELECT a FROM t, u;
----
ERROR 42702: column reference "a" is ambiguous
at 8

SELECT 1 FROM t, t;
----
ERROR 42712: table name "t" specified more than once

SELECT nosuch(a) FROM t;
----
ERROR 42883: function nosuch(integer) does not exist
at 8
HINT No function matches the given name and argument types. You might need to add explicit type casts.

SELECT length(a) FROM t;
----
ERROR 42883: function length(integer) does not exist
at 8
HINT No function matches the given name and argument types. You might need to add explicit type casts.

SELECT a + b FROM t;
----
ERROR 42883: operator does not exist: integer + text
at 10
HINT No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT a || c FROM t WHERE b = 5;
----
ERROR 42883: operator does not exist: integer || bigint
at 10
HINT No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT a FROM t WHERE a;
----
ERROR 42804: argument of WHERE must be type boolean, not type integer
at 23

SELECT a FROM t WHERE 'x';
----
ERROR 22P02: invalid input syntax for type boolean: "x"
at 23

SELECT a, count(*) FROM t;
----
ERROR 42803: column "t.a" must appear in the GROUP BY clause or be used in an aggregate function
at 8

SELECT b, count(*) FROM t GROUP BY c;
----
ERROR 42803: column "t.b" must appear in the GROUP BY clause or be used in an aggregate function
at 8

SELECT count(*) FROM t WHERE count(*) > 1;
----
ERROR 42803: aggregate functions are not allowed in WHERE
at 30

SELECT count(count(*)) FROM t;
----
ERROR 42803: aggregate function calls cannot be nested
at 14

SELECT row_number() FROM t;
----
ERROR 42809: window function row_number requires an OVER clause
at 8

SELECT a FROM t WHERE row_number() OVER () = 1;
----
ERROR 42P20: window functions are not allowed in WHERE
at 23

SELECT a FROM t ORDER BY 3;
----
ERROR 42P10: ORDER BY position 3 is not in select list
at 26

SELECT a FROM t GROUP BY 2;
----
ERROR 42P10: GROUP BY position 2 is not in select list
at 26

SELECT a FROM t ORDER BY 'x';
----
ERROR 42601: non-integer constant in ORDER BY
at 26

SELECT DISTINCT a FROM t ORDER BY b;
----
ERROR 42P10: for SELECT DISTINCT, ORDER BY expressions must appear in select list
at 35

SELECT DISTINCT ON (a) a FROM t ORDER BY b;
----
ERROR 42P10: SELECT DISTINCT ON expressions must match initial ORDER BY expressions
at 21

SELECT a FROM t UNION SELECT a, b FROM t;
----
ERROR 42601: each UNION query must have the same number of columns
at 30

SELECT a FROM t UNION SELECT b FROM t;
----
ERROR 42804: UNION types integer and text cannot be matched
at 30

SELECT CASE WHEN true THEN 1 ELSE now() END;
----
ERROR 42804: CASE types timestamp with time zone and integer cannot be matched
at 28

SELECT COALESCE(1, true);
----
ERROR 42804: COALESCE types integer and boolean cannot be matched
at 20

VALUES (1), (1, 2);
----
ERROR 42601: VALUES lists must all be the same length
at 14

SELECT 'x'::int;
----
ERROR 22P02: invalid input syntax for type integer: "x"
at 8

SELECT 1::nosuch;
----
ERROR 42704: type "nosuch" does not exist
at 11

SELECT true::date;
----
ERROR 42846: cannot cast type boolean to date
at 12

SELECT a FROM t WHERE a = 'x';
----
ERROR 22P02: invalid input syntax for type integer: "x"
at 27

SELECT (SELECT a, b FROM t);
----
ERROR 42601: subquery must return only one column
at 8

SELECT a IN (SELECT a, b FROM t) FROM t;
----
ERROR 42601: subquery has too many columns
at 10

SELECT 1 / 0;
----
ERROR 22012: division by zero

SELECT (SELECT g FROM generate_series(1, 2) g);
----
ERROR 21000: more than one row returned by a subquery used as an expression

SELECT * FROM t JOIN u USING (b);
----
ERROR 42703: column "b" specified in USING clause does not exist in right table

SELECT * FROM t JOIN u ON a = a;
----
ERROR 42702: column reference "a" is ambiguous
at 27

SELECT * FROM t LIMIT -1;
----
ERROR 2201W: LIMIT must not be negative

SELECT * FROM t LIMIT a;
----
ERROR 42P10: argument of LIMIT must not contain variables
at 23

SELECT a FROM t LIMIT 'x';
----
ERROR 22P02: invalid input syntax for type bigint: "x"
at 23

SELECT 'a' COLLATE "nosuch";
----
ERROR 42704: collation "nosuch" for encoding "UTF8" does not exist
at 12

SELECT 1 COLLATE "C";
----
ERROR 42804: collations are not supported by type integer
at 10

WITH x AS (SELECT 1), x AS (SELECT 2) SELECT 1;
----
ERROR 42712: WITH query name "x" specified more than once
at 23

WITH x(a, b, c) AS (SELECT 1) SELECT 1;
----
ERROR 42P10: WITH query "x" has 1 columns available but 3 columns specified
at 6

SELECT * FROM (SELECT 1) AS x(a, b);
----
ERROR 42P10: table "x" has 1 columns available but 2 columns specified

SELECT *;
----
ERROR 42601: SELECT * with no tables specified is not valid
at 8

SELECT t.*, nosuch.* FROM t;
----
ERROR 42P01: missing FROM-clause entry for table "nosuch"
at 13

SELECT ARRAY[];
----
ERROR 42P18: cannot determine type of empty array
at 8
HINT Explicitly cast to the desired type, for example ARRAY[]::integer[].

SELECT (1, 2) = (1, 2, 3);
----
ERROR 42601: unequal number of entries in row expressions
at 15

SELECT a[1] FROM t;
----
ERROR 42804: cannot subscript type integer because it does not support subscripting
at 8

SELECT (a).b FROM t;
----
ERROR 42809: column notation .b applied to type integer, which is not a composite type
at 9

SELECT lower(DISTINCT b) FROM t;
----
ERROR 42809: DISTINCT specified, but lower is not an aggregate function
at 8

SELECT sum(b) FROM t;
----
ERROR 42883: function sum(text) does not exist
at 8
HINT No function matches the given name and argument types. You might need to add explicit type casts.

SELECT max(DISTINCT a ORDER BY c) FROM t;
----
ERROR 42P10: in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list
at 32

SELECT string_agg(b, ',') WITHIN GROUP (ORDER BY b) FROM t;
----
ERROR 42883: function string_agg(text, unknown, text) does not exist
at 8
HINT No function matches the given name and argument types. You might need to add explicit type casts.

SELECT * FROM u, LATERAL (SELECT t.a) x;
----
ERROR 42P01: missing FROM-clause entry for table "t"
at 34

SELECT a FROM t JOIN (SELECT u.x FROM u WHERE u.a = t.a) q ON true;
----
ERROR 42P01: invalid reference to FROM-clause entry for table "t"
at 53
HINT There is an entry for table "t", but it cannot be referenced from this part of the query.

SELECT generate_series(1, 2) FROM t WHERE generate_series(1, 2) = 1;
----
ERROR 0A000: set-returning functions are not allowed in WHERE
at 43

SELECT sum(a) OVER (PARTITION BY nosuch) FROM t;
----
ERROR 42703: column "nosuch" does not exist
at 34

SELECT sum(a) OVER w FROM t;
----
ERROR 42704: window "w" does not exist
at 20

WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 'x' FROM r) SELECT * FROM r;
----
ERROR 22P02: invalid input syntax for type integer: "x"
at 48

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1.5 FROM r WHERE n < 3) SELECT * FROM r;
----
ERROR 42804: recursive query "r" column 1 has type integer in non-recursive term but type numeric overall
at 32
HINT Cast the output of the non-recursive term to the correct type.

SELECT * FROM otherdb.public.t;
----
ERROR 0A000: cross-database references are not implemented: "otherdb.public.t"
at 15
