// Sends a server single requests that are as large as they may be, and prints the longest turn of its event loop for each: processor time,
// in milliseconds, the least of some rounds. Needs a build (`npm run build`).
//
//     node bench/turns.mjs [names=.*] [rounds=3]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tessera } from './harness/build.mjs';
import { payloadOf, webSocketConnection } from './harness/raw-client.mjs';
import { startServer } from './servers/start.mjs';

const names = new RegExp(process.argv[2] ?? '.*');
const rounds = Number(process.argv[3] ?? 2);

const MIB = 2 ** 20;
const DATABASE = { 'surreal-ns': 'turns', 'surreal-db': 'turns', accept: 'application/json' };
const ROOT = { authorization: `Basic ${Buffer.from('root:secret').toString('base64')}` };

const FLATBUFFERS = 'application/vnd.surrealdb.flatbuffers';

/** A statement, as root, over HTTP; its answer is in JSON, CBOR or FlatBuffers. */
const sql =
  (statement, accept = 'application/json') =>
  (server) =>
    post(server, '/sql', { accept }, statement);

/** The same on what other statements have made, which isn't measured. */
const after = (setup, statement) => Object.assign(sql(statement), { prepare: sql(setup) });
const fresh = (table, clauses = '') => `REMOVE TABLE IF EXISTS ${table}; DEFINE TABLE ${table} ${clauses};`;
const ids = (table, count) => `(<array> 0..${count}).map(|$i| type::record('${table}', $i))`;
const vectors = Array.from(
  { length: 3 },
  (_, at) => `{ v: (<array> 0..65535).map(|$j| ($j * 7919 + ${at}) % 1000 / 1000f) }`,
);
const texts = `${fresh('texts')} DEFINE ANALYZER IF NOT EXISTS words TOKENIZERS blank FILTERS lowercase;
  DEFINE INDEX ft ON texts FIELDS t FULLTEXT ANALYZER words BM25 HIGHLIGHTS;`;
const insertTexts =
  "INSERT INTO texts (<array> 0..20000).map(|$i| { t: 'some words number ' + <string> $i }) RETURN NONE";

const graphql = (query) => (server) =>
  post(server, '/graphql', { 'content-type': 'application/json' }, JSON.stringify({ query }));

async function post({ port }, path, headers, body) {
  const url = `http://127.0.0.1:${port}${path}`;
  const answer = await fetch(url, { method: 'POST', headers: { ...DATABASE, ...ROOT, ...headers }, body });
  return Buffer.from(await answer.arrayBuffer());
}

/** One message over the WebSocket of the owner. */
const message = (make) => {
  let bytes;
  return async ({ sockets }) => {
    bytes ??= make();
    return payloadOf(await (bytes.binary ? sockets.cbor : sockets.json).ask(bytes.frame));
  };
};

/** A frame of any size whose mask isn't zeros. */
function masked(payload, binary) {
  const head = Buffer.alloc(14);
  head[0] = binary ? 0x82 : 0x81;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  const mask = [1, 2, 3, 4];
  head.set(mask, 10);
  const body = Buffer.from(payload);
  for (let at = 0; at < body.length; at++) body[at] ^= mask[at & 3];
  return { binary, frame: Buffer.concat([head, body]) };
}
const json = (method, ...params) => masked(Buffer.from(JSON.stringify({ id: 1, method, params })), false);

/** `{method: 'ping', params: [[{}, {}, …]]}` in CBOR. */
function emptyObjects(count) {
  const text = (characters) => [0x60 | characters.length, ...Buffer.from(characters)];
  const head = [0xa2, ...text('method'), ...text('ping'), ...text('params'), 0x81, 0x9a, 0, 0, 0, 0];
  const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(count, 0xa0)]);
  bytes.writeUInt32BE(count, head.length - 4);
  return masked(bytes, true);
}

/** A list of as many numbers in FlatBuffers. */
const flatBody = (count) => {
  let body;
  return async (server) => {
    const { encodeFlatBuffers } = await tessera('value/codecs/flatbuffers-encode');
    const { objectFromJavaScript } = await tessera('embedded/from-javascript');
    body ??= encodeFlatBuffers(objectFromJavaScript({ method: 'ping', params: Array(count).fill(1) }));
    return post(server, '/rpc', { accept: FLATBUFFERS, 'content-type': FLATBUFFERS }, body);
  };
};

const long = (unit, length) => unit.repeat(Math.floor(length / unit.length));
/** A list of as many parts as a value may have, made of few. */
const shared = (levels) =>
  `LET $a = <array> 0..1024; ${Array.from({ length: levels }, () => 'LET $a = [$a, $a];').join(' ')}`;

const CASES = {
  'commit of 200,000 changes on disk': sql('CREATE |many:200000| RETURN NONE'),
  'message of 15 MiB': message(() => json('ping', 'x'.repeat(15 * MIB))),
  'message of 900,000 objects': message(() => emptyObjects(900_000)),
  'message of 50,000 variables': message(() =>
    json('query', 'RETURN 1', Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`v${at}`, at]))),
  ),
  'string literal of 900 KiB': sql(`RETURN string::len("${'a'.repeat(900 * 1024)}")`),
  'string literal with escapes': sql(`RETURN string::len("${long('\\n', 900 * 1024)}")`),
  'string literal with unicode escapes': sql(`RETURN string::len("${long('\\u{1F600}', 900 * 1024)}")`),
  'string literal with blanks': sql(`RETURN string::len("${long(' \n', 900 * 1024)}")`),
  'blanks of 900 KiB': sql(`${long(' \n', 900 * 1024)}RETURN 1`),
  'comment of 900 KiB': sql(`/*${long('* ', 900 * 1024)}*/RETURN 1`),
  'name of 900 KiB': sql(`RETURN { a: 1 }.${'a'.repeat(900 * 1024)}`),
  'number of 900 KiB': sql(`RETURN ${'1'.repeat(900 * 1024)}`),
  'list of 100,000 numbers': sql(`RETURN array::len([${long('1,', 200_000)}1])`),
  'list of 40,000 additions': sql(`RETURN array::len([${long('1+$a,', 200_000)}1])`),
  'list of 20,000 calls': sql(`RETURN array::len([${long('rand(),', 140_000)}1])`),
  'statement of 16,000 tokens': sql(`RETURN array::len([${long('1+$a,', 20_000)}1])`),
  'statement of 12,000 calls': sql(`RETURN array::len([${long('rand(),', 84_000)}1])`),
  'object of 30,000 fields': sql(
    `RETURN object::len({${Array.from({ length: 30_000 }, (_, at) => `f${at}: ${at}`).join(',')}})`,
  ),
  'chain of 20,000 conditions': sql(`RETURN ${long('1 OR ', 100_000)}1`),
  'record id of 900 KiB': sql(`RETURN person:\`${'a'.repeat(900 * 1024)}\``),
  'insert of 10,000 rows': sql(`INSERT INTO row [${long('{a:1,b:[1]},', 120_000)}{a:1}] RETURN NONE`),
  'range as array': sql('RETURN array::len(<array> 0..1000000)'),
  'range as array, answered': sql('RETURN <array> 0..1000000'),
  'range as array, in CBOR': sql('RETURN <array> 0..1000000', 'application/cbor'),
  'range as array, in FlatBuffers': sql('RETURN <array> 0..1000000', FLATBUFFERS),
  'value of 2^22 parts in JSON': sql(`${shared(12)} RETURN $a`),
  'value of 2^22 parts in CBOR': sql(`${shared(12)} RETURN $a`, 'application/cbor'),
  'value of 2^20 parts in FlatBuffers': sql(`${shared(10)} RETURN $a`, FLATBUFFERS),
  'value of 2^24 parts in JSON': sql(`${shared(14)} RETURN $a`),
  'value of 2^24 parts as text': sql(`${shared(14)} RETURN string::len(<string> $a)`),
  'value of 2^24 parts as JSON text': sql(`${shared(14)} RETURN string::len(encoding::json::encode($a))`),
  'value of 2^24 parts as CBOR': sql(`${shared(14)} RETURN bytes::len(encoding::cbor::encode($a))`),
  'value of 2^24 parts stored': sql(`${shared(14)} CREATE bomb SET a = $a RETURN NONE`),
  'value of 2^24 parts compared': sql(`${shared(14)} RETURN $a = [$a[0], $a[1]]`),
  'value of 2^24 parts sorted': sql(`${shared(14)} RETURN array::len(array::distinct([$a, $a]))`),
  'value of 2^24 parts as key': sql(`${shared(14)} RETURN type::record('a', $a)`),
  'value of 2^24 parts flattened': sql(`${shared(14)} RETURN array::len(array::flatten($a))`),
  'bomb in JSON': sql(`${shared(30)} RETURN $a`),
  'bomb in CBOR': sql(`${shared(30)} RETURN $a`, 'application/cbor'),
  'bomb in FlatBuffers': sql(`${shared(30)} RETURN $a`, FLATBUFFERS),
  'body of 120,000 numbers in FlatBuffers': flatBody(120_000),
  'bomb as text': sql(`${shared(30)} RETURN <string> $a`),
  'bomb stored': sql(`${shared(30)} CREATE bomb SET a = $a`),
  'bomb as set': sql(`${shared(30)} RETURN <set> [$a, $a]`),
  'bomb typed': sql(`${shared(30)} RETURN <array<array>> $a`),
  'objects of many fields': sql(
    'LET $o = object::from_entries((<array> 0..8000).map(|$x| [<string> $x, $x])); RETURN array::len((<array> 0..100).map(|$x| { ...$o, a: $x }))',
  ),
  'object of many fields, stored': sql(
    'LET $o = object::from_entries((<array> 0..8000).map(|$x| [<string> $x, $x])); CREATE wide CONTENT $o RETURN NONE; SELECT * FROM wide',
  ),
  'html to sanitize': sql(`RETURN string::html::sanitize(string::repeat('<b>', 1360))`),
  'regex of a long text': sql(`RETURN string::matches(string::repeat('ab', 10000), '(a|b)*c')`),
  'regex of a long text, replaced': sql(
    `RETURN string::len(string::replace(string::repeat('ab', 10000), /[ab]/, 'x'))`,
  ),
  'join of arrays': sql('LET $l = <array> 0..200000; RETURN array::len(array::concat($l, $l))'),
  'update of 60 records of 100,000 numbers': after(
    `${fresh('big')} FOR $i IN 0..60 { CREATE big SET a = <array> 0..100000 RETURN NONE }`,
    'UPDATE big SET n = 1 RETURN NONE',
  ),
  'changes of 50,000 records': after(
    `${fresh('feed', 'CHANGEFEED 1h')} CREATE |feed:50000| RETURN NONE`,
    'SHOW CHANGES FOR TABLE feed SINCE 0',
  ),
  'table of 100,000 records removed': after(`${fresh('gone')} CREATE |gone:100000| RETURN NONE`, 'REMOVE TABLE gone'),
  'record with 50,000 edges deleted': after(
    `${fresh('place')} ${fresh('leads', 'TYPE RELATION')} CREATE |place:1..50000| RETURN NONE;
     RELATE place:1->leads->(SELECT VALUE id FROM place) RETURN NONE`,
    'DELETE place:1',
  ),
  'fetch of 50,000 links': after(
    `${fresh('place')} CREATE |place:1..50000| RETURN NONE`,
    `SELECT l FROM [{ l: ${ids('place', 50_000)} }] FETCH l`,
  ),
  'insert of 20,000 texts': after(texts, insertTexts),
  'highlights of 20,000 texts': after(
    `${texts} ${insertTexts}`,
    "SELECT search::highlight('<', '>', 0) FROM texts WHERE t @0@ 'words'",
  ),
  'three vectors of 65,535 numbers': after(
    `${fresh('vectors')} DEFINE INDEX hnsw ON vectors FIELDS v HNSW DIMENSION 65535 TYPE F32`,
    `INSERT INTO vectors [${vectors}] RETURN NONE`,
  ),
  'median of 100,000 rows': after(
    `${fresh('rows')} INSERT INTO rows (<array> 0..100000).map(|$n| { n: $n }) RETURN NONE`,
    'SELECT math::median(n) FROM rows GROUP ALL',
  ),
  'answer of GraphQL': graphql(
    `{ item(limit: 10000) { ${Array.from({ length: 20 }, (_, at) => `n${at}: n`).join(' ')} } }`,
  ),
  'connection of GraphQL': graphql(
    `{ itemConnection(first: 10000) { edges { node { ${Array.from({ length: 20 }, (_, at) => `n${at}: n`).join(' ')} } } } }`,
  ),
  'GraphQL of 20,000 aliases': graphql(
    `{ ${Array.from({ length: 20_000 }, (_, at) => `a${at}: item(limit: 1) { n }`).join(' ')} }`,
  ),
  'GraphQL of 2,000 aliases': graphql(
    `{ ${Array.from({ length: 2_000 }, (_, at) => `a${at}: item(limit: 1) { n }`).join(' ')} }`,
  ),
  'GraphQL of 900 aliases': graphql(
    `{ ${Array.from({ length: 900 }, (_, at) => `a${at}: item(limit: 1) { n }`).join(' ')} }`,
  ),
  'GraphQL of many equal fields': graphql(`{ item(limit: 1) { ${long('n ', 9_000)} } }`),
  'GraphQL of many fragments': graphql(
    `{ item(limit: 1) { ...f0 } } ${Array.from({ length: 900 }, (_, at) => `fragment f${at} on item { n ...f${at + 1} }`).join(' ')} fragment f900 on item { n }`,
  ),
  'GraphQL string of 900 KiB': graphql(`{ item(limit: 1, filter: { s: { eq: "${'a'.repeat(900 * 1024)}" } }) { n } }`),
  'GraphQL list of many values': graphql(`{ item(filter: { n: { in: [${long('1,', 18_000)}1] } }) { n } }`),
};

const folder = mkdtempSync(join(tmpdir(), 'tessera-turns-'));
process.env.SERVER_FLAGS = `--import ${new URL('harness/longest-turn.mjs', import.meta.url).href} ${process.env.SERVER_FLAGS ?? ''}`;
const started = await startServer(
  fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url)),
  ...['start', folder, '--bind', '127.0.0.1:0', '--user', 'root', '--pass', 'secret', '--log', 'error'],
  ...['--ping-interval', '1h', '--allow-experimental', 'graphql'],
);
const sockets = { json: await signedIn('json'), cbor: await webSocketConnection(started.port, '/rpc', 'cbor') };
await sockets.cbor.ask(cborSignIn());
const server = { port: started.port, sockets };

async function signedIn(protocol) {
  const socket = await webSocketConnection(started.port, '/rpc', protocol);
  await socket.ask(json('signin', { user: 'root', pass: 'secret' }).frame);
  await socket.ask(json('use', 'turns', 'turns').frame);
  return socket;
}

/** The same in CBOR. */
function cborSignIn() {
  const text = (characters) => [0x60 | characters.length, ...Buffer.from(characters)];
  const credentials = [0xa2, ...text('user'), ...text('root'), ...text('pass'), ...text('secret')];
  const request = [
    0xa3,
    ...text('id'),
    1,
    ...text('method'),
    ...text('signin'),
    ...text('params'),
    0x81,
    ...credentials,
  ];
  return masked(Buffer.from(request), true).frame;
}

await post(
  server,
  '/sql',
  {},
  `DEFINE NAMESPACE turns; USE NS turns; DEFINE DATABASE turns; USE DB turns;
   DEFINE TABLE item SCHEMAFULL; DEFINE FIELD n ON item TYPE int; DEFINE FIELD s ON item TYPE option<string>; DEFINE CONFIG GRAPHQL AUTO;
   CREATE |item:60000| SET n = 1 RETURN NONE;`,
);
await graphql('{ item(limit: 1) { n } }')(server);

for (const [name, ask] of Object.entries(CASES)) {
  if (!names.test(name)) continue;
  let least = Number.POSITIVE_INFINITY;
  let answer = '';
  for (let round = 0; round < rounds; round++) {
    await ask.prepare?.(server);
    await started.ask('longest turn');
    answer = await ask(server).catch((error) => Buffer.from(String(error.cause ?? error)));
    least = Math.min(least, await started.ask('longest turn'));
  }
  const text = answer.toString('latin1', Math.max(0, answer.length - 400));
  const told = /"(?:information|message|result)":"?.{0,110}$/.exec(text)?.[0] ?? text.slice(-110);
  console.log(`${least.toFixed(1).padStart(8)} ms  ${name.padEnd(38)} ${told.replace(/[^ -~]/g, '.').slice(0, 90)}`);
}
started.stop();
await new Promise((resume) => setTimeout(resume, 500));
rmSync(folder, { recursive: true, force: true });
process.exit(0);
