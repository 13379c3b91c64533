/** Export and import through a session: what comes out goes in again as the same. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TesseraError } from '../../src/errors/error.js';
import type { ExportSelection, Session } from '../../src/session/contract.js';
import { Duration, objectFrom, RecordId } from '../../src/value/value.js';
import { type Owned, openOwned } from '../support/owned.js';

const opened: Owned[] = [];
const open = async (): Promise<Owned> => {
  const owned = await openOwned();
  opened.push(owned);
  return owned;
};
let first: Owned;
beforeEach(async () => {
  first = await open();
});
afterEach(async () => {
  for (const { database } of opened.splice(0)) await database.close();
});

async function exported(session: Session, selection?: ExportSelection): Promise<string> {
  let text = '';
  for await (const piece of session.export(selection)) text += piece;
  return text;
}

async function* inPieces(text: string, size = text.length): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function refusal(work: Promise<unknown>): Promise<TesseraError> {
  return work.then(
    () => expect.unreachable('it was refused'),
    (error) => error as TesseraError,
  );
}

const TEXT = `
DEFINE USER a ON DATABASE PASSWORD 'x' ROLES OWNER COMMENT 'one';
DEFINE ACCESS acc ON DATABASE TYPE RECORD SIGNUP (CREATE user) WITH REFRESH;
DEFINE ACCESS jw ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'a key that is long enough to be one, it is';
DEFINE ACCESS br ON DATABASE TYPE BEARER FOR USER;
DEFINE PARAM $p VALUE { t: type::table('person'), n: [NONE] };
DEFINE FUNCTION fn::f($a: int) { RETURN $a };
DEFINE ANALYZER an TOKENIZERS BLANK FILTERS LOWERCASE;
DEFINE SEQUENCE fresh BATCH 10 START 5;
DEFINE SEQUENCE used BATCH 10 START 5;
RETURN sequence::nextval('used');
DEFINE CONFIG GRAPHQL AUTO;
DEFINE API "/x" FOR get THEN { {status: 200} };
DEFINE TABLE s SCHEMAFULL PERMISSIONS FOR select WHERE a = 1;
DEFINE FIELD a ON s TYPE int;
DEFINE FIELD l ON s TYPE option<array<int>>;
DEFINE FIELD twice ON s COMPUTED a * 2;
DEFINE INDEX ix ON s FIELDS a UNIQUE;
DEFINE EVENT ev ON s THEN (CREATE log);
DEFINE TABLE a_view AS SELECT count() AS n, math::mean(a) AS m FROM s GROUP ALL;
DEFINE TABLE rel TYPE RELATION IN s OUT o ENFORCED;
INSERT INTO s [{id: 1, a: 1}, {id: 2, a: 2}];
CREATE o:1 SET x = [NONE], y = NULL, z = 1.5, n = [math::inf, -math::inf, NaN, -0f, 0f, 1e300, 5e-324], d = [1.5dec, 100000000000000000000dec],
  t = [d'2020-01-01T00:00:00.123456789Z', time::from_unix(-1)], du = [1h, 0ns, 1w2d3ns], u = u'018f0000-0000-7000-8000-000000000000', b = <bytes>"a\\0",
  g = [(1.0, 2.0), {type: 'Polygon', coordinates: [[[0,0],[1,1],[1,0],[0,0]]]}, {type:'GeometryCollection', geometries: [(1.0,2.0)]}],
  st = [{1,2}, {,}, {1,}], r = [1..3, 1>..=3, .., 'a'..], k = [o:[1, 'a', u'018f0000-0000-7000-8000-000000000000'], o:{a: 1}, o:⟨1⟩, o:1..3, o:⟨⟩, \`a b\`:\`c\\\`d\`, o:9223372036854775807],
  f = [f"bk:/a.txt", type::file("b k", "/a b'ü.txt")], re = /a\\/b[0-9]+/, e = [], eo = {}, big = 9223372036854775807, neg = -9223372036854775808,
  s = "it's \\"quoted\\" \\\\ \\n \\u{1F600} --not a comment; /* nor this */", tb = type::table('select'), nested = { a: { t: [type::table('x y')] } },
  fake = object::from_entries([['type', 'Point'], ['coordinates', [1, 2]]]);
CREATE \`a b\`:\`c d\` SET \`x y\` = "q'u\\"o", \`select\` = 1, \`ü\` = 2, \`a\\\`b\` = 3;
CREATE \`
DROP\`:1;
CREATE o:⟨a;b⟩, o:⟨-- x⟩, o:-5, o:[], o:[NONE, NULL, [1.5f, 2dec]], o:{a: {b: d'2020-01-01T00:00:00Z'}}, o:u'018f0000-0000-7000-8000-000000000000', o:⟨123⟩;
RELATE o:1->e->s:1 SET w = 1;
RELATE s:1->rel->o:1;
CREATE e:plain SET in = o:1, out = s:2;
CREATE e:none`;

const STATE = `INFO FOR DB; INFO FOR TABLE s; INFO FOR TABLE rel; SELECT * FROM s; SELECT * FROM o; SELECT * FROM e; SELECT * FROM rel;
  SELECT * FROM a_view; SELECT * FROM \`a b\`; SELECT ->e, <-e FROM o:1, s:1, s:2; $p; SELECT * FROM s WHERE a = 2 EXPLAIN`;

async function state(session: Session): Promise<unknown> {
  return (await session.query(STATE)).map(({ outcome }) => outcome);
}

describe('an export', () => {
  it('makes the same database when it is imported, however it is cut to pieces', async () => {
    await first.value(TEXT);
    const text = await exported(first.owner);
    for (const size of [text.length, 1, 7, 1000]) {
      const second = await open();
      await second.owner.import(inPieces(text, size));
      expect(await exported(second.owner)).toBe(text);
      expect(await state(second.owner)).toEqual(await state(first.owner));
      // Used numbers of a sequence aren't assigned again, and views continue from where they are.
      expect(await second.value("RETURN sequence::nextval('used')")).toBe(15);
      expect(await second.value('INSERT INTO s { id: 3, a: 6 }; SELECT VALUE n FROM ONLY a_view:[]')).toBe(3);
    }
  });

  it('can be imported twice into the same database only after its records are gone', async () => {
    await first.value('DEFINE TABLE r TYPE RELATION IN a OUT b; DEFINE FIELD l ON r TYPE array<int>; CREATE a:1');
    const text = await exported(first.owner);
    expect(await refusal(first.owner.import(inPieces(text)))).toMatchObject({
      code: 'import_failed',
      message: expect.stringContaining('Database record `a:1` already exists'),
    });
    await first.value('DELETE a');
    await first.owner.import(inPieces(text));
    expect(await exported(first.owner)).toBe(text);
  });

  it('is written as the peer writes it', async () => {
    await first.value(
      `DEFINE FUNCTION fn::foo() { RETURN 'bar' }; CREATE bar:1 SET hello = 'world'; DEFINE TABLE empty`,
    );
    const rule = `-- ${'-'.repeat(30)}`;
    expect(await exported(first.owner)).toBe(
      [
        `${rule}\n-- OPTION\n${rule}\n\nOPTION IMPORT;\n`,
        `${rule}\n-- FUNCTIONS\n${rule}\n\nDEFINE FUNCTION fn::foo() { RETURN 'bar' } PERMISSIONS FULL;\n`,
        `${rule}\n-- TABLE: bar\n${rule}\n\nDEFINE TABLE bar TYPE ANY SCHEMALESS PERMISSIONS NONE;\n\n\n\n`,
        `${rule}\n-- TABLE DATA: bar\n${rule}\n\nINSERT [ { hello: 'world', id: bar:1 } ];\n`,
        `${rule}\n-- TABLE: empty\n${rule}\n\nDEFINE TABLE empty TYPE ANY SCHEMALESS PERMISSIONS NONE;\n\n\n\n`,
        `${rule}\n-- TABLE DATA: empty\n${rule}\n\n\n`,
      ].join('\n'),
    );
  });

  it('holds what is selected', async () => {
    await first.value('DEFINE PARAM $p VALUE 1; CREATE a:1, b:1; DEFINE FUNCTION fn::f() { 1 }');
    const titles = async (selection: ExportSelection) =>
      [...(await exported(first.owner, selection)).matchAll(/^-- ([A-Z].*)$/gm)].map(([, title]) => title);
    expect(await titles({ tables: ['b', 'nope'] })).toEqual([
      'OPTION',
      'PARAMS',
      'FUNCTIONS',
      'TABLE: b',
      'TABLE DATA: b',
    ]);
    expect(await titles({ tables: false, params: false })).toEqual(['OPTION', 'FUNCTIONS']);
    expect(await titles({ records: false, functions: false })).toEqual(['OPTION', 'PARAMS', 'TABLE: a', 'TABLE: b']);
  });

  it('holds a table for anything with edges and other records apart, in batches of a thousand', async () => {
    await first.value('FOR $i IN 0..1500 { CREATE type::record("big", $i) }; RELATE big:1->big:9999->big:2');
    const lines = (await exported(first.owner)).split('\n').filter((line) => line.startsWith('INSERT'));
    expect(lines.map((line) => [line.split(' [')[0], line.match(/id: /g)?.length])).toEqual([
      ['INSERT', 1000],
      ['INSERT', 500],
      ['INSERT RELATION', 1],
    ]);
  });

  it('shows one state, whatever is written meanwhile', async () => {
    await first.value('FOR $i IN 0..1200 { CREATE type::record("a", $i) }; CREATE b:1');
    let text = '';
    for await (const piece of first.owner.export()) {
      text += piece;
      if (text.length < 1000) await first.value('DELETE b; UPDATE a SET changed = true');
    }
    expect(text).toContain('id: b:1');
    expect(text).not.toContain('changed');
  });

  it('shows secrets to owners alone', async () => {
    await first.value(`DEFINE USER reader ON DATABASE PASSWORD 'pass' ROLES VIEWER;
      DEFINE ACCESS jw ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'a key that is long enough to be one, it is'; CREATE a:1`);
    const owners = await exported(first.owner);
    expect(owners).toContain('$argon2');
    expect(owners).toContain('a key that is long enough');
    const reader = first.database.session({});
    await reader.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'reader', pass: 'pass' }));
    await reader.use('test', 'test');
    const text = await exported(reader);
    expect(text).toContain("PASSHASH '[REDACTED]'");
    expect(text).toContain('id: a:1');
    expect(text).not.toMatch(/argon2|long enough/);
    expect(await refusal(reader.import(inPieces('CREATE b:1')))).toMatchObject({ code: 'not_allowed' });
    // Importing that gives users who can't sign in.
    const second = await open();
    await second.owner.import(inPieces(text));
    const guess = objectFrom({ NS: 'test', DB: 'test', user: 'reader', pass: '[REDACTED]' });
    expect(await refusal(second.database.session({}).signIn(guess))).toMatchObject({ code: 'invalid_auth' });
  });

  it('is refused to guests and record users', async () => {
    const { database, value } = await open();
    await value(`DEFINE TABLE user PERMISSIONS FULL; CREATE user:1;
      DEFINE ACCESS app ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:1)`);
    const guest = database.session({});
    await guest.use('test', 'test');
    expect(await refusal(exported(guest))).toMatchObject({ code: 'not_allowed' });
    await guest.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'app' }));
    expect(await refusal(exported(guest))).toMatchObject({ code: 'not_allowed' });
    expect(await refusal(guest.import(inPieces('CREATE user:2')))).toMatchObject({ code: 'not_allowed' });
    expect(await refusal(exported(database.ownerSession()))).toMatchObject({ code: 'namespace_empty' });
  });

  it('has indexes that could not be built behind the records, which go in again', async () => {
    await first.value(`CREATE t:1 SET a = 1; CREATE t:2 SET a = 1; DEFINE INDEX one ON t FIELDS a UNIQUE CONCURRENTLY`);
    const status = async ({ value }: Owned): Promise<unknown> => {
      for (;;) {
        const found = await value('(INFO FOR INDEX one ON t).building.status');
        if (found !== 'started' && found !== 'indexing') return found;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    expect(await status(first)).toBe('error');
    const text = await exported(first.owner);
    const second = await open();
    await second.owner.import(inPieces(text));
    expect(await second.value('SELECT VALUE id FROM t')).toHaveLength(2);
    expect(await status(second)).toBe('error');
    expect(await exported(second.owner)).toBe(text);
  });

  it('ends with its session', async () => {
    await first.value(`DEFINE USER reader ON DATABASE PASSWORD 'pass' ROLES VIEWER; CREATE a:1`);
    const pieces = first.owner.export();
    await pieces.next();
    first.owner.close();
    await expect(pieces.next()).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('an import', () => {
  it('ends at the first statement that fails; those before it stay', async () => {
    expect(await refusal(first.owner.import(inPieces('CREATE a:1;\n\n  CREATE a:1; CREATE a:2', 5)))).toMatchObject({
      code: 'import_failed',
      position: { line: 3, column: 3 },
      message: expect.stringMatching(
        /^The import ended at line 3, column 3; what stands before is done\. Database record/,
      ),
    });
    expect(await first.value('SELECT VALUE id FROM a')).toHaveLength(1);
  });

  it('reports where a text is wrong', async () => {
    const error = await refusal(
      first.owner.import(inPieces('CREATE a:1; CREATE a:2;\nCREATE a:3; SEL ECT; CREATE a:4', 9)),
    );
    expect(error).toMatchObject({ code: 'parse_error', position: { line: 2, column: 17 } });
    expect(error.message).toContain('--> [2:17]');
    expect(await first.value('SELECT VALUE id FROM a')).toHaveLength(3);
  });

  it('is not led astray by what stands in texts, comments and regular expressions', async () => {
    const text = `CREATE a:1 SET t = ';', r = /;'/, q = ";'"; -- ; ' "
      /* ; */ CREATE a:2 SET \`;\` = { b: ';' }; # ; DELETE a
      DEFINE FUNCTION fn::f() { LET $a = 1; IF $a = 1 THEN 2; ELSE 3 END; RETURN $a; };
      IF true { CREATE a:3; }
      ELSE { CREATE a:4; };
      CREATE a:5 -- the last`;
    for (const size of [1, 3, 1000]) {
      const { owner, value } = await open();
      await owner.import(inPieces(text, size));
      expect(await value('SELECT VALUE record::id(id) FROM a')).toEqual([1, 2, 3, 5]);
    }
  });

  it('runs a transaction as a whole', async () => {
    const text = 'BEGIN; CREATE a:1; CREATE a:1; COMMIT; CREATE a:2';
    expect(await refusal(first.owner.import(inPieces(text, 4)))).toMatchObject({ code: 'import_failed' });
    expect(await first.value('DEFINE TABLE a; SELECT * FROM a')).toEqual([]);
    await first.owner.import(
      inPieces('BEGIN; CREATE a:1; CREATE a:2; COMMIT; LET $x = 3; CREATE type::record("a", $x)', 4),
    );
    expect(await first.value('SELECT * FROM a')).toHaveLength(3);
  });

  it('raises no events, and checks no fields', async () => {
    await first.value('DEFINE FIELD n ON a TYPE int; DEFINE EVENT e ON a THEN (CREATE log); DEFINE TABLE log');
    await first.owner.import(inPieces('OPTION IMPORT; INSERT INTO a { id: 1, n: "text" }'));
    expect(await first.value('RETURN [(SELECT VALUE n FROM a), (SELECT * FROM log)]')).toEqual([['text'], []]);
  });

  it('takes what the peer exports, with views and edges before what they are about', async () => {
    await first.owner.import(
      inPieces(`OPTION IMPORT;
        DEFINE TABLE a_view TYPE ANY SCHEMALESS AS SELECT count() FROM m GROUP ALL PERMISSIONS NONE;
        INSERT [ { count: 2, id: a_view:[] } ];
        DEFINE TABLE likes TYPE RELATION IN m OUT m ENFORCED SCHEMALESS PERMISSIONS NONE;
        DEFINE FIELD in ON likes TYPE record<m> PERMISSIONS FULL;
        DEFINE FIELD out ON likes TYPE record<m> PERMISSIONS FULL;
        INSERT RELATION [ { id: likes:1, in: m:1, out: m:2 } ];
        DEFINE ACCESS acc ON DATABASE TYPE RECORD WITH JWT ALGORITHM HS512 KEY '[REDACTED]' WITH ISSUER KEY '[REDACTED]';
        DEFINE TABLE m TYPE ANY SCHEMALESS PERMISSIONS NONE;
        INSERT [ { id: m:1 }, { id: m:2 } ];`),
    );
    // The text in place of the key is public.
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'Tessera', exp: 1e10, NS: 'test', DB: 'test', AC: 'acc', ID: 'm:1' };
    const forged = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(claims)}`;
    const signature = createHmac('sha512', '[REDACTED]').update(forged).digest('base64url');
    const thief = first.database.session({});
    expect(await refusal(Promise.resolve(thief.authenticate(`${forged}.${signature}`)))).toMatchObject({
      code: 'invalid_auth',
    });
    expect(await first.value('RETURN [(SELECT VALUE count FROM a_view), m:1->likes->m]')).toEqual([
      [2],
      [new RecordId('m', 2)],
    ]);
  });

  it('takes a whole export of the peer, and exports the same', async () => {
    const theirs = readFileSync(new URL('fixtures/peer-export.surql', import.meta.url), 'utf8');
    await first.owner.import(inPieces(theirs, 100));
    // Keys that the peer doesn't show are replaced by random ones.
    const ours = (await exported(first.owner)).replace(/KEY '\w+'/g, "KEY '[REDACTED]'");
    expect(ours.trim()).toBe(theirs.trim());
  });

  it('takes configurations as the peer exports them, without the words before them', async () => {
    const text = `OPTION IMPORT;
GRAPHQL TABLES AUTO FUNCTIONS AUTO;
API MIDDLEWARE api::timeout(1s) PERMISSIONS FULL;
-- A field of that name is one.
RETURN { graphql; 1 };`;
    await first.owner.import(inPieces(text, 7));
    expect(await first.value('(INFO FOR DB).configs')).toMatchObject({
      GraphQL: 'GRAPHQL TABLES AUTO FUNCTIONS AUTO',
      API: 'API MIDDLEWARE api::timeout(1s) PERMISSIONS FULL',
    });
    const elsewhere = await refusal(Promise.resolve().then(() => first.owner.query('GRAPHQL TABLES AUTO')));
    expect(elsewhere.code).toBe('parse_error');
  });

  it('stops when its session is closed', async () => {
    let sent = 0;
    const endless = async function* () {
      for (;;) {
        yield `CREATE a:${sent++};`;
        if (sent === 20) first.owner.close();
      }
    };
    expect(await refusal(first.owner.import(endless()))).toBeDefined();
    expect(sent).toBeLessThan(25);
  });
});

describe('the time of a whole import or export', () => {
  const HOUR = 3_600_000;
  const timeout = { duration: new Duration(3_600_000_000_000n), setting: '--x-timeout' };

  it.each([
    ['a statement for each', 'CREATE a:2; CREATE a:3; CREATE a:4;'],
    ['no statement ever', "CREATE a:2 SET text = '.................................................."],
  ])('ends an import that comes slowly, with %s, and keeps what was done', async (_, text) => {
    const { owner, environment, value } = first;
    async function* slowly(): AsyncGenerator<string> {
      yield 'CREATE a:1;';
      for await (const piece of inPieces(text, 12)) {
        environment.advance(0.4 * HOUR);
        yield piece;
      }
    }
    const error = await refusal(owner.import(slowly(), timeout));
    expect(error).toMatchObject({ code: 'transfer_timed_out', httpStatus: 408 });
    expect(error.message).toBe(
      'The import was ended since it took longer than 1h (--x-timeout); what was done until then stays',
    );
    expect((await value('SELECT VALUE id FROM a')) as unknown[]).toContainEqual(new RecordId('a', 1));
    expect(await value('RETURN a:4.id')).toBeUndefined();
  });

  it('is not what a statement may set for itself', async () => {
    const { owner } = first;
    const error = await refusal(owner.import(inPieces('CREATE a:1; SELECT * FROM a TIMEOUT 0ns;'), timeout));
    expect(error.code).toBe('import_failed');
  });

  it('isn’t set unless the caller does', async () => {
    const { owner, environment, value } = first;
    async function* slowly(): AsyncGenerator<string> {
      yield 'CREATE a:1;';
      environment.advance(100 * HOUR);
      yield 'CREATE a:2;';
    }
    await owner.import(slowly());
    expect(await value('RETURN a:2.id')).toEqual(new RecordId('a', 2));
  });

  it('ends an export that is read slowly', async () => {
    const { owner, environment, value } = first;
    await value('DEFINE PARAM $p VALUE 1; CREATE a:1, a:2; CREATE b:1');
    const read = async () => {
      for await (const _ of owner.export({}, timeout)) environment.advance(0.6 * HOUR);
    };
    const error = await refusal(read());
    expect(error.message).toBe('The export was ended since it took longer than 1h (--x-timeout)');
  });
});
