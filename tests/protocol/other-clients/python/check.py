"""Asks a server through the official Python client; `client.test.ts` starts it with the server's address.

Prints a line for each check: `ok NAME`, or `not ok NAME: why`.
"""

import asyncio
import base64
import hashlib
import json
import os
import sys
import traceback
import urllib.request
import uuid
from contextlib import contextmanager
from datetime import datetime, timezone
from decimal import Decimal

from surrealdb import (
    AlreadyExistsError,
    AsyncSurreal,
    NotAllowedError,
    NotFoundError,
    RecordID,
    Surreal,
    SurrealError,
    Table,
    ThrownError,
)
from surrealdb.data.types.duration import Duration
from surrealdb.data.types.geometry import GeometryPoint

ADDRESS, USER, PASSWORD = sys.argv[1:4]
ROOT = {"username": USER, "password": PASSWORD}
PERSON = {"namespace": "test", "database": "python", "access": "people"}
CHECKS = []


def check(work):
    CHECKS.append(work)
    return work


def same(got, expected):
    if got != expected:
        raise AssertionError(f"expected {expected!r}, got {got!r}")


def refused(kind, work):
    try:
        got = work()
    except kind as error:
        return error
    raise AssertionError(f"expected {kind.__name__}, got {got!r}")


@contextmanager
def connected(scheme):
    with Surreal(f"{scheme}://{ADDRESS}") as db:
        db.signin(ROOT)
        db.use("test", "python")
        yield db


def records(db, table):
    db.query(f"DEFINE TABLE OVERWRITE {table}; DEFINE TABLE OVERWRITE knows; DELETE {table}; DELETE knows")
    ann = RecordID(table, "ann")
    same(db.create(ann, {"age": 1}), {"id": ann, "age": 1})
    same(db.select(ann), [{"id": ann, "age": 1}])
    same(db.update(ann, {"age": 2})["age"], 2)
    same(db.merge(ann, {"name": "Ann"}), {"id": ann, "age": 2, "name": "Ann"})
    same(db.patch(ann, [{"op": "replace", "path": "/age", "value": 3}])["age"], 3)
    same(db.upsert(RecordID(table, 2), {"age": 5})["age"], 5)
    same(len(db.insert(table, [{"age": 7}, {"age": 8}])), 2)
    same(len(db.select(Table(table))), 4)
    same(db.query(f"SELECT VALUE age FROM {table} WHERE age > $least ORDER BY age", {"least": 5}), [7, 8])
    db.insert_relation("knows", {"in": ann, "out": RecordID(table, 2), "since": 3})
    same(db.query("SELECT VALUE ->knows.since FROM $ann", {"ann": ann}), [[3]])
    same(db.delete(ann)["name"], "Ann")
    same(db.select(ann), [])


def values(db):
    given = {
        "none": None,
        "text": "Grüße",
        "int": -(2**53),
        "large": 2**62,
        "float": 1.5,
        "decimal": Decimal("1.25"),
        "bytes": b"\x00\xff",
        "uuid": uuid.UUID("018f8a12-0000-7000-8000-000000000000"),
        "when": datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=timezone.utc),
        "long": Duration.parse("1h30m"),
        "point": GeometryPoint(1.5, 2.5),
        "record": RecordID("t", ["a", 1]),
        "list": [1, [2, {"three": 3}]],
    }
    for name, value in given.items():
        same((name, db.query("RETURN $value", {"value": value})), (name, value))
    kinds = db.query("RETURN [type::of($a), type::of($b), $c.year()]", {"a": given["decimal"], "b": given["long"], "c": given["when"]})
    same(kinds, ["decimal", "duration", 2024])
    # Sets (tag 56) are what this client has no reader for.
    same(len(db.query("RETURN [1..3, 1..=3, type::table('t')]")), 3)


def errors(db):
    refused(SurrealError, lambda: db.query("SELEC * FROM t"))
    same("boom" in str(refused(ThrownError, lambda: db.query("THROW 'boom'"))), True)
    refused(NotFoundError, lambda: db.query("SELECT * FROM table_that_is_not_there"))
    db.query("UPSERT twice:1")
    refused(AlreadyExistsError, lambda: db.create(RecordID("twice", 1), {}))
    same(db.query("RETURN 1"), 1)


def sign_in(scheme):
    with Surreal(f"{scheme}://{ADDRESS}") as db:
        refused(NotAllowedError, lambda: db.signin({"username": USER, "password": "wrong"}))
        db.signin(ROOT)
        db.use("test", "python")
        db.query(
            """DEFINE TABLE OVERWRITE user PERMISSIONS FOR select WHERE id = $auth;
               DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD
                 SIGNUP (CREATE user SET name = $name) SIGNIN (SELECT * FROM user WHERE name = $name) WITH REFRESH"""
        )
    name = f"{scheme} {uuid.uuid4()}"
    with Surreal(f"{scheme}://{ADDRESS}") as db:
        tokens = db.signup({**PERSON, "variables": {"name": name}})
        same(bool(tokens.access and tokens.refresh), True)
        db.use("test", "python")
        same([each["name"] for each in db.query("SELECT * FROM user")], [name])
        same(db.info()["name"], name)
        again = db.signin({**PERSON, "variables": {"name": name}})
        db.authenticate(again.access)
        same([each["name"] for each in db.query("SELECT * FROM user")], [name])
        db.invalidate()
        refused(SurrealError, lambda: db.query("SELECT * FROM user"))


def sign_in_by_code(scheme):
    """The request is begun by a plain call; everything else is the client's own."""
    address = f"{uuid.uuid4().hex}@shop.example"
    with connected(scheme) as root:
        root.query(
            """DEFINE TABLE OVERWRITE outbox; DEFINE CONFIG OVERWRITE MAIL FROM 'shop@shop.example' THEN { CREATE outbox CONTENT $mail };
               DEFINE ACCESS OVERWRITE mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
                 SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE"""
        )
        verifier = base64.urlsafe_b64encode(os.urandom(32))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier).digest()).rstrip(b"=").decode()
        body = json.dumps({"challenge": challenge, "email": address}).encode()
        start = urllib.request.Request(
            f"http://{ADDRESS}/auth/test/python/mail/start", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(start) as answer:
            request = json.load(answer)["request"]
        codes = []
        while not codes:
            codes = root.query("SELECT VALUE code FROM outbox WHERE to = $to", {"to": address})
        mail = {**PERSON, "access": "mail"}
        with Surreal(f"{scheme}://{ADDRESS}") as db:
            wrong = {"request": request, "code": "00000000"}
            refused(NotAllowedError, lambda: db.signin({**mail, "variables": wrong}))
            token = db.signin({**mail, "variables": {"request": request, "code": codes[0]}})
            same(bool(token.access), True)
            same(db.query("RETURN $token.amr"), ["mail"])


for scheme in ("ws", "http"):

    def each(name, work, scheme=scheme):
        def run():
            with connected(scheme) as db:
                work(db)

        run.__name__ = f"{name} over {scheme}"
        check(run)

    each("records", lambda db, scheme=scheme: records(db, f"{scheme}_person"))
    each("values", values)
    each("errors", errors)

    def version(db):
        same(db.version().startswith("surrealdb-3."), True)
        db.let("x", {"a": 1})
        same(db.query("RETURN $x.a"), 1)
        db.unset("x")
        same(db.query("RETURN $x"), None)

    each("version and variables", version)

    def signing(scheme=scheme):
        sign_in(scheme)

    signing.__name__ = f"signing in over {scheme}"
    check(signing)

    def by_code(scheme=scheme):
        sign_in_by_code(scheme)

    by_code.__name__ = f"signing in by code over {scheme}"
    check(by_code)


@check
def sessions_have_settings_of_their_own():
    with connected("ws") as db:
        session = db.new_session()
        refused(SurrealError, lambda: session.query("RETURN 1"))
        session.signin(ROOT)
        session.use("test", "python")
        session.let("x", 2)
        db.let("x", 1)
        same((db.query("RETURN $x"), session.query("RETURN $x")), (1, 2))
        session.close_session()
        refused(SurrealError, lambda: session.query("RETURN 1"))
        same(db.query("RETURN 1"), 1)


@check
def transactions_of_a_session():
    with connected("ws") as db:
        db.query("DEFINE TABLE OVERWRITE held; DELETE held")
        session = db.new_session()
        session.signin(ROOT)
        session.use("test", "python")
        transaction = session.begin_transaction()
        transaction.create(RecordID("held", 1), {"n": 1})
        same(transaction.select(RecordID("held", 1)), [{"id": RecordID("held", 1), "n": 1}])
        same(db.query("SELECT * FROM held"), [])
        transaction.commit()
        same(len(db.query("SELECT * FROM held")), 1)
        transaction = session.begin_transaction()
        transaction.query("DELETE held")
        transaction.cancel()
        same(len(db.query("SELECT * FROM held")), 1)


@check
def transactions_belong_to_the_connection():
    with connected("ws") as db, connected("ws") as other:
        db.query("DEFINE TABLE OVERWRITE held; DELETE held")
        session = db.attach()
        db.signin(ROOT, session_id=session)
        db.use("test", "python", session_id=session)
        transaction = db.begin(session_id=session)
        db.create(RecordID("held", 2), {}, session_id=session, txn_id=transaction)
        db.create(RecordID("held", 3), {}, txn_id=transaction)
        refused(SurrealError, lambda: other.commit(transaction))
        refused(SurrealError, lambda: other.select("held", txn_id=transaction))
        same(other.query("SELECT * FROM held"), [])
        # The connection's own session commits what the attached one began.
        db.commit(transaction)
        same(len(other.query("SELECT * FROM held")), 2)
        refused(SurrealError, lambda: db.commit(transaction))


@check
def live_queries_and_the_async_client():
    async def work():
        async with AsyncSurreal(f"ws://{ADDRESS}") as db, AsyncSurreal(f"ws://{ADDRESS}") as writer:
            for each in (db, writer):
                await each.signin(ROOT)
                await each.use("test", "python")
            await db.query("DEFINE TABLE OVERWRITE seen; DELETE seen")
            query = await db.live("seen")
            heard = await db.subscribe_live(query)
            await writer.create(RecordID("seen", 1), {"n": 1})
            await writer.update(RecordID("seen", 1), {"n": 2})
            found = [await asyncio.wait_for(heard.__anext__(), 10) for _ in range(2)]
            same([each.get("result", each).get("n") for each in found], [1, 2])
            await db.kill(query)
            session = await db.new_session()
            await session.signin(ROOT)
            await session.use("test", "python")
            transaction = await session.begin_transaction()
            await transaction.query("CREATE seen:2")
            await transaction.commit()
            same(len(await db.select("seen")), 2)
        async with AsyncSurreal(f"http://{ADDRESS}") as db:
            await db.signin(ROOT)
            await db.use("test", "python")
            same(len(await db.select("seen")), 2)

    asyncio.run(work())


@check
def files_in_statements_and_over_http():
    # `docs/guides/files.md` shows this.
    with connected("ws") as db:
        db.query("DEFINE BUCKET OVERWRITE pictures; DEFINE TABLE OVERWRITE album; DELETE album")
        picture = {"bucket": "pictures", "key": "/a b.png", "bytes": bytes(range(256))}
        db.query("type::file($bucket, $key).put($bytes)", picture)
        same(db.query("type::file($bucket, $key).get()", picture), picture["bytes"])
        facts = db.query("type::file($bucket, $key).head().{ size, type }", picture)
        same(facts, {"size": 256, "type": "image/png"})
        db.query("CREATE album:1 SET cover = type::file($bucket, $key) RETURN NONE", picture)
        same(db.query("SELECT VALUE cover.key() FROM album"), ["/a b.png"])
        # The client has no type for files, nor for sets: its decoder gives up.
        refused(BufferError, lambda: db.query("SELECT * FROM album"))
        same(len(db.query("SELECT VALUE cover.url() FROM album")), 1)
        for method, body in (("PUT", b"x" * 3_000_000), ("GET", None)):
            link = db.query("type::file('pictures', 'large.bin').url({ method: $method })", {"method": method})
            request = urllib.request.Request(f"http://{ADDRESS}{link}", data=body, method=method)
            with urllib.request.urlopen(request) as answer:
                same((answer.status, len(answer.read())), (201, 0) if body else (200, 3_000_000))
        same(db.query("file::list('pictures').map(|$found| $found.file.key())"), ["/a b.png", "/large.bin"])


failed = False
for work in CHECKS:
    name = work.__name__.replace("_", " ")
    try:
        work()
        print(f"ok {name}", flush=True)
    except Exception as error:  # noqa: BLE001
        failed = True
        traceback.print_exc()
        print(f"not ok {name}: {type(error).__name__}: {error}", flush=True)
sys.exit(1 if failed else 0)
