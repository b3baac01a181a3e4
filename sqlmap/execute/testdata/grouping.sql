CREATE TABLE g (a int, b text, c int);
----
done

INSERT INTO g VALUES (1, 'x', 10), (1, 'y', 20), (2, 'x', 30), (2, NULL, 40), (NULL, 'y', 50);
----
5 rows

SELECT a, b, count(*), sum(c) FROM g GROUP BY GROUPING SETS ((a), (b), ()) ORDER BY 1, 2, 3, 4;
----
a:integer b:text count:bigint sum:bigint
1|NULL|2|30
2|NULL|2|70
NULL|x|2|40
NULL|y|2|70
NULL|NULL|1|40
NULL|NULL|1|50
NULL|NULL|5|150

SELECT a, b, sum(c), grouping(a), grouping(a, b) FROM g GROUP BY ROLLUP (a, b) ORDER BY 5, 1, 2;
----
a:integer b:text sum:bigint grouping:integer grouping:integer
1|x|10|0|0
1|y|20|0|0
2|x|30|0|0
2|NULL|40|0|0
NULL|y|50|0|0
1|NULL|30|0|1
2|NULL|70|0|1
NULL|NULL|50|0|1
NULL|NULL|150|1|3

SELECT a, b, count(*), grouping(b) FROM g GROUP BY CUBE (a, b) ORDER BY grouping(a, b), a, b;
----
a:integer b:text count:bigint grouping:integer
1|x|1|0
1|y|1|0
2|x|1|0
2|NULL|1|0
NULL|y|1|0
1|NULL|2|1
2|NULL|2|1
NULL|NULL|1|1
NULL|x|2|0
NULL|y|2|0
NULL|NULL|1|0
NULL|NULL|5|1

SELECT a, b, count(*) FROM g GROUP BY a, ROLLUP (b) ORDER BY 1, 2, 3;
----
a:integer b:text count:bigint
1|x|1
1|y|1
1|NULL|2
2|x|1
2|NULL|1
2|NULL|2
NULL|y|1
NULL|NULL|1

SELECT a + 1, count(*) FROM g GROUP BY ROLLUP (a + 1) ORDER BY 1, 2;
----
?column?:integer count:bigint
2|2
3|2
NULL|1
NULL|5

SELECT a, b, count(*) FROM g GROUP BY GROUPING SETS (ROLLUP (a, b), CUBE (b)) ORDER BY 1, 2, 3;
----
a:integer b:text count:bigint
1|x|1
1|y|1
1|NULL|2
2|x|1
2|NULL|1
2|NULL|2
NULL|x|2
NULL|y|1
NULL|y|2
NULL|NULL|1
NULL|NULL|1
NULL|NULL|5
NULL|NULL|5

SELECT count(*) FROM g GROUP BY ();
----
count:bigint
5

SELECT count(*), sum(c) FROM g WHERE false GROUP BY GROUPING SETS ((a), ());
----
count:bigint sum:bigint
0|NULL

SELECT b, percentile_cont(0.5) WITHIN GROUP (ORDER BY c), percentile_disc(0.5) WITHIN GROUP (ORDER BY c), mode() WITHIN GROUP (ORDER BY a) FROM g GROUP BY b ORDER BY b;
----
b:text percentile_cont:double precision percentile_disc:integer mode:integer
x|20|10|1
y|35|20|1
NULL|40|40|2

SELECT array_agg(DISTINCT a ORDER BY a DESC), array_agg(c ORDER BY b NULLS FIRST, c DESC), string_agg(DISTINCT b, '|') FROM g;
----
array_agg:integer[] array_agg:integer[] string_agg:text
{NULL,2,1}|{40,30,10,50,20}|x|y

SELECT a, (SELECT count(*) FROM g h WHERE h.a = g.a) FROM g GROUP BY a ORDER BY a;
----
a:integer count:bigint
1|2
2|2
NULL|0

SELECT (SELECT sum(g.c)) FROM g;
----
sum:bigint
150

SELECT a FROM g GROUP BY a HAVING sum(c) > (SELECT avg(c) FROM g) ORDER BY a;
----
a:integer
2
NULL

SELECT a, CASE WHEN grouping(a) = 1 THEN 'all' ELSE 'one' END FROM g GROUP BY ROLLUP (a) ORDER BY 2, 1;
----
a:integer case:text
NULL|all
1|one
2|one
NULL|one

SELECT max(c) - min(c), count(*) * 2 FROM g HAVING count(*) > 1;
----
?column?:integer ?column?:bigint
40|10

SELECT 1 FROM g HAVING count(*) > 100;
----
?column?:integer

SELECT grouping(c) FROM g GROUP BY a;
----
ERROR 42803: arguments to GROUPING must be grouping expressions of the associated query level
at 17

SELECT a FROM g GROUP BY ROLLUP (b);
----
ERROR 42803: column "g.a" must appear in the GROUP BY clause or be used in an aggregate function
at 8

SELECT stddev(c), variance(c), bit_and(c), bool_or(c > 40), every(c > 5) FROM g;
----
stddev:numeric variance:numeric bit_and:integer bool_or:boolean every:boolean
15.8113883008418967|250.0000000000000000|0|t|t

SELECT b, count(*) FROM g GROUP BY b ORDER BY count(*) DESC, b LIMIT 2;
----
b:text count:bigint
x|2
y|2

SELECT upper(b) AS b, count(*) FROM g GROUP BY b ORDER BY 1;
----
b:text count:bigint
X|2
Y|2
NULL|1

SELECT count(DISTINCT (a, b)) FROM g;
----
count:bigint
5

SELECT count(g) , count(*) FROM g;
----
count:bigint count:bigint
5|5
