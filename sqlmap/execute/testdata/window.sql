CREATE TABLE w (id int PRIMARY KEY, k text, v int, n numeric, d date);
----
done

INSERT INTO w VALUES (1, 'a', 10, 1.5, '2026-01-01'), (2, 'a', 20, 2, '2026-01-03'), (3, 'a', 20, NULL, '2026-01-04'), (4, 'b', NULL, 4, '2026-02-01'), (5, 'b', 5, 5, NULL), (6, 'b', 7, 6, '2026-02-02'), (7, NULL, 1, 7, '2026-03-01');
----
7 rows

SELECT id, row_number() OVER (ORDER BY id DESC), rank() OVER (ORDER BY v), dense_rank() OVER (ORDER BY v), percent_rank() OVER (ORDER BY v), cume_dist() OVER (ORDER BY v), ntile(3) OVER (ORDER BY id) FROM w ORDER BY id;
----
id:integer row_number:bigint rank:bigint dense_rank:bigint percent_rank:double precision cume_dist:double precision ntile:integer
1|7|4|4|0.5|0.5714285714285714|1
2|6|5|5|0.6666666666666666|0.8571428571428571|1
3|5|5|5|0.6666666666666666|0.8571428571428571|1
4|4|7|6|1|1|2
5|3|2|2|0.16666666666666666|0.2857142857142857|2
6|2|3|3|0.3333333333333333|0.42857142857142855|3
7|1|1|1|0|0.14285714285714285|3

SELECT id, lag(v) OVER x, lead(v, 2, -1) OVER x, first_value(v) OVER x, last_value(v) OVER x, nth_value(v, 2) OVER x FROM w WINDOW x AS (PARTITION BY k ORDER BY id) ORDER BY id;
----
id:integer lag:integer lead:integer first_value:integer last_value:integer nth_value:integer
1|NULL|20|10|10|NULL
2|10|-1|10|20|20
3|20|-1|10|20|20
4|NULL|7|NULL|NULL|NULL
5|NULL|-1|NULL|5|5
6|5|-1|NULL|7|5
7|NULL|-1|1|1|NULL

SELECT id, sum(v) OVER (PARTITION BY k), sum(v) OVER (PARTITION BY k ORDER BY id), count(*) OVER (), avg(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM w ORDER BY id;
----
id:integer sum:bigint sum:bigint count:bigint avg:numeric
1|50|10|7|1.7500000000000000
2|50|30|7|1.7500000000000000
3|50|50|7|3.0000000000000000
4|12|NULL|7|4.5000000000000000
5|12|5|7|5.0000000000000000
6|12|12|7|6.0000000000000000
7|1|1|7|6.5000000000000000

SELECT id, sum(v) OVER (ORDER BY v), sum(v) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING), sum(id) OVER (ORDER BY v GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM w ORDER BY v, id;
----
id:integer sum:bigint sum:bigint sum:bigint
7|1|1|7
5|6|6|12
6|13|13|11
1|23|23|7
2|63|43|6
3|63|63|6
4|63|63|9

SELECT id, sum(id) OVER (ORDER BY v RANGE BETWEEN 3 PRECEDING AND 5 FOLLOWING), count(*) OVER (ORDER BY v DESC RANGE BETWEEN 3 PRECEDING AND UNBOUNDED FOLLOWING) FROM w ORDER BY id;
----
id:integer sum:bigint count:bigint
1|7|4
2|5|6
3|5|6
4|4|7
5|12|3
6|12|4
7|12|1

SELECT id, count(*) OVER (ORDER BY d RANGE BETWEEN '2 days' PRECEDING AND CURRENT ROW) FROM w ORDER BY id;
----
id:integer count:bigint
1|1
2|2
3|2
4|1
5|1
6|2
7|1

SELECT id, sum(id) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW), array_agg(id) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES), first_value(id) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP) FROM w ORDER BY id;
----
id:integer sum:bigint array_agg:integer[] first_value:integer
1|27|{7,5,6,1,2,3,4}|7
2|26|{7,5,6,1,2,4}|7
3|25|{7,5,6,1,3,4}|7
4|24|{7,5,6,1,2,3,4}|7
5|23|{7,5,6,1,2,3,4}|7
6|22|{7,5,6,1,2,3,4}|7
7|21|{7,5,6,1,2,3,4}|5

SELECT id, sum(v) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING), sum(v) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM w ORDER BY id;
----
id:integer sum:bigint sum:bigint
1|20|NULL
2|5|NULL
3|12|10
4|8|30
5|1|40
6|NULL|20
7|NULL|5

SELECT k, count(*), rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER () FROM w GROUP BY k ORDER BY k;
----
k:text count:bigint rank:bigint sum:numeric
a|3|1|7
b|3|1|7
NULL|1|3|7

SELECT id, count(v) FILTER (WHERE v > 5) OVER (ORDER BY id) FROM w ORDER BY id;
----
id:integer count:bigint
1|1
2|2
3|3
4|3
5|3
6|4
7|4

SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY v DESC NULLS LAST) AS r FROM w) q WHERE r = 1 ORDER BY id;
----
id:integer r:bigint
2|1
6|1
7|1

SELECT id, sum(v) OVER (p ORDER BY id), max(v) OVER (p) FROM w WINDOW p AS (PARTITION BY k) ORDER BY id;
----
id:integer sum:bigint max:integer
1|10|20
2|30|20
3|50|20
4|NULL|7
5|5|7
6|12|7
7|1|1

SELECT DISTINCT count(*) OVER (PARTITION BY k) AS c FROM w ORDER BY c;
----
c:bigint
1
3

SELECT id, string_agg(k, ',') OVER (ORDER BY id) FROM w ORDER BY row_number() OVER (ORDER BY id DESC);
----
id:integer string_agg:text
7|a,a,a,b,b,b
6|a,a,a,b,b,b
5|a,a,a,b,b
4|a,a,a,b
3|a,a,a
2|a,a
1|a

SELECT sum(v) OVER (ORDER BY id ROWS -1 PRECEDING) FROM w;
----
ERROR 22013: frame starting offset must not be negative

SELECT sum(v) OVER (RANGE 1 PRECEDING) FROM w;
----
ERROR 42P20: RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column
at 20

SELECT sum(v) OVER (ORDER BY k RANGE 1 PRECEDING) FROM w;
----
ERROR 0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type text
at 38

SELECT sum(DISTINCT v) OVER () FROM w;
----
ERROR 0A000: DISTINCT is not implemented for window functions
at 8

SELECT sum(sum(v) OVER ()) FROM w;
----
ERROR 42803: aggregate function calls cannot contain window function calls
at 12

SELECT rank() OVER (ORDER BY rank() OVER ()) FROM w;
----
ERROR 42P20: window functions are not allowed in window definitions
at 30

SELECT lower(k) OVER () FROM w;
----
ERROR 42809: OVER specified, but lower is not a window function nor an aggregate function
at 8
