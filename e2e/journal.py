"""A psycopg client that writes to a plain table, one row in each transaction, for the tests that kill and replace servers.

    journal.py CONNECTION WRITER    inserts (WRITER, n) into journal, n = 0, 1, 2, ...; prints n once it is committed

It goes on for ever. When its connection is lost it makes a new one, with the next n: whether the last one is there is open.
"""
import itertools
import sys
import time

import psycopg

RETRY_SECONDS = 0.01


def main():
    connection, writer = sys.argv[1:]
    sequences = itertools.count()
    while True:
        try:
            with psycopg.connect(connection, autocommit=True, connect_timeout=10) as server:
                for sequence in sequences:
                    server.execute("INSERT INTO journal VALUES (%s, %s)", (int(writer), sequence))
                    print(sequence, flush=True)
        except psycopg.Error:
            time.sleep(RETRY_SECONDS)


if __name__ == "__main__":
    main()
