"""A package that has the crate `surrealdb` 3.1 within: a client in FlatBuffers that needs no compiler.

`check.py HOST USER PASSWORD` prints a line for each check: `ok NAME`, or `not ok NAME: what was seen`.
"""
import base64
import sys
import urllib.request

import sdb_connector

host, user, password = sys.argv[1:4]
address, port = host.split(":")


def sql(text):
    secret = base64.b64encode(f"{user}:{password}".encode()).decode()
    headers = {"accept": "application/json", "surreal-ns": "test", "surreal-db": "wheel", "authorization": f"Basic {secret}"}
    request = urllib.request.Request(f"http://{host}/sql", data=text.encode(), headers=headers)
    return urllib.request.urlopen(request).read().decode()


def read(secret):
    return sdb_connector.select_raw_data(address, port, user, secret, "test", "wheel", "raw", "run:1")


def check(name, right, seen):
    print(f"ok {name}" if right else f"not ok {name}: {seen}")


sql(
    "REMOVE TABLE IF EXISTS raw; DEFINE TABLE raw; CREATE raw:1 SET run_id = run:1, run_counter = 7, channel = 2,"
    " data = [15, 25], timestamp = d'2026-11-29T00:00:00Z'"
)
rows = read(password)
check("reads records", [value for row in rows for value in row if value in (15, 25)] == [15, 25], rows)
try:
    check("is refused with a wrong password", False, read("wrong"))
except Exception as error:
    check("is refused with a wrong password", True, error)
