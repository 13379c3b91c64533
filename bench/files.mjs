// What files in buckets cost: small ones beside records of their size, lists, and a large one over HTTP with the memory that the server takes
// for it, and beside Node's own server with a file. Needs a build.
//
//     node bench/files.mjs --size 1024
import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openDatabase } from '../dist/session/database/database.js';
import { openLmdb } from '../dist/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../dist/storage/memory/memory.js';
import { readOptions } from '../scripts/options.mjs';

const { values } = readOptions(
  `Prints what files in buckets cost: small ones beside records of their size, lists, and a large one over HTTP with the
memory that the server takes for it. Needs a build.

  node bench/files.mjs --size 1024

  --size MIB          of the large file; default 256
  --keys COUNT        files in the bucket that is listed; default 100000
  --rounds COUNT      transfers of the large file; default 1
  --only PART         small or large; default: both
  -h, --help          prints this`,
  {
    options: {
      size: { type: 'string', default: '256' },
      keys: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '1' },
      only: { type: 'string' },
    },
  },
);

/** A second, in the time of `/proc`. */
const TICKS = 100;
const folder = mkdtempSync(join(tmpdir(), 'tessera-files-'));
process.once('exit', () => rmSync(folder, { recursive: true }));

if (values.only !== 'large') {
  await small('in memory', new MemoryEngine());
  await small('on disk, without flushes', openLmdb(join(folder, 'small'), { sync: 'never' }));
}
if (values.only !== 'small') await large();
console.log(`load: ${loadavg()[0].toFixed(1)}`);

/** Processor time of a call, and of a list. */
async function small(where, engine) {
  const database = await openDatabase(engine);
  const session = database.ownerSession();
  await session.use('bench', 'bench');
  const run = async (text, variables) => {
    for (const { outcome } of await session.query(text, variables)) if (!outcome.ok) throw outcome.error;
  };
  await run('DEFINE BUCKET b; DEFINE TABLE r');
  const bytes = new Uint8Array(4096).fill(7);
  const CALLS = 3000;
  const ROUNDS = 5;
  const of = async (round, call) => {
    const before = process.cpuUsage();
    for (let at = 0; at < CALLS; at++) await call(round * CALLS + at);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CALLS;
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push([
      await of(round, (i) => run('CREATE type::record("r", $i) SET b = $bytes RETURN NONE', { i, bytes })),
      await of(round, (i) => run('type::file("b", <string> $i).put($bytes)', { i, bytes })),
      await of(round, (i) => run('SELECT * FROM ONLY type::record("r", $i)', { i })),
      await of(round, (i) => run('type::file("b", <string> $i).get()', { i })),
    ]);
  }
  const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)];
  const [create, put, select, get] = [0, 1, 2, 3].map((at) => median(rounds.map((round) => round[at])).toFixed(0));
  console.log(`4 KiB ${where}: create ${create} µs, put ${put}; select ${select}, get ${get}`);
  const keys = Number(values.keys);
  for (let from = 0; from < keys; from += 2000) {
    await run('FOR $i IN $from..$to { type::file("b", "/list/" + <string> $i).put("x") }', { from, to: from + 2000 });
  }
  const lists = [];
  for (let round = 0; round < 15; round++) {
    const before = process.cpuUsage();
    await run('file::list("b", { limit: 1000, prefix: "/list", start: "/list/5" })');
    const { user, system } = process.cpuUsage(before);
    lists.push((user + system) / 1000);
  }
  console.log(`1,000 of ${keys} keys listed, ${where}: ${median(lists).toFixed(1)} ms of the processor`);
  await database.close();
}

/** Seconds up and down, and memory beside the file's pages that the system keeps. */
async function large() {
  const user = { user: 'root', pass: 'a password of the bench' };
  const child = spawn(process.execPath, [
    'dist/bin/tessera.js',
    'start',
    ...['--user', user.user, '--pass', user.pass, '--bind', '127.0.0.1:0', '--allow-bucket-folders', folder],
    join(folder, 'store'),
  ]);
  let text = '';
  child.stderr.on('data', (chunk) => (text += chunk));
  child.stdout.on('data', (chunk) => (text += chunk));
  while (!/"url":"([^"]+)"/.test(text)) await once(child.stderr, 'data');
  const [, url] = /"url":"([^"]+)"/.exec(text);
  const authorization = `Basic ${Buffer.from(`${user.user}:${user.pass}`).toString('base64')}`;
  const headers = { authorization, 'surreal-ns': 'bench', 'surreal-db': 'bench' };
  const body = `DEFINE BUCKET store; DEFINE BUCKET folder BACKEND 'file:${folder}/files'`;
  await (await fetch(`${url}/sql`, { method: 'POST', headers, body })).text();
  const source = join(folder, 'source');
  const written = createWriteStream(source);
  const piece = randomFillSync(Buffer.alloc(2 ** 20));
  for (let at = 0; at < Number(values.size); at++) if (!written.write(piece)) await once(written, 'drain');
  written.end();
  await once(written, 'finish');
  const own = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
  const bare = spawn(process.execPath, ['bench/file-server.mjs', join(folder, 'bare')]);
  const [port] = await once(bare.stdout, 'data');
  const addresses = { 'node:http': `http://127.0.0.1:${String(port).trim()}/` };
  for (const bucket of ['folder', 'store']) addresses[bucket] = `${url}/files/bench/bench/${bucket}/large`;
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, address] of Object.entries(addresses)) {
      const idle = own();
      let most = idle;
      const watch = setInterval(() => (most = Math.max(most, own())), 20);
      const spent = processorTime(name === 'node:http' ? bare.pid : child.pid);
      const [up, down] = await transferred(address, headers, source);
      const processor = processorTime(name === 'node:http' ? bare.pid : child.pid) - spent;
      clearInterval(watch);
      const memory = `${idle.toFixed(0)} MiB of its own when idle, at most ${most.toFixed(0)}`;
      const times = `up ${up.toFixed(1)} s, down ${down.toFixed(1)} s, ${processor.toFixed(1)} s of the processor`;
      console.log(`${values.size} MiB, ${name}: ${times}; ${memory}`);
    }
  }
  await inParts(url, headers, source, child.pid);
  for (const process of [child, bare]) {
    process.kill();
    await once(process, 'close');
  }
}

/** Seconds of the processor that a process has taken. */
function processorTime(pid) {
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.join(') ').split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS;
}

/** Seconds that a file takes to a server and back. */
async function transferred(address, headers, source) {
  const start = performance.now();
  const put = await fetch(address, { method: 'PUT', headers, body: createReadStream(source), duplex: 'half' });
  if (!put.ok) throw new Error(await put.text());
  const half = performance.now();
  for await (const chunk of (await fetch(address, { headers })).body) void chunk;
  return [(half - start) / 1000, (performance.now() - half) / 1000];
}

/** Seconds that the same file takes in eight requests. */
async function inParts(url, headers, source, pid) {
  const { size } = statSync(source);
  for (const bucket of ['folder', 'store']) {
    const tus = { ...headers, 'tus-resumable': '1.0.0' };
    const start = performance.now();
    const spent = processorTime(pid);
    const begun = await fetch(`${url}/files/bench/bench/${bucket}/parts`, {
      method: 'POST',
      headers: { ...tus, 'upload-length': String(size) },
    });
    const address = url + begun.headers.get('location');
    for (let part = 0; part < 8; part++) {
      const [from, to] = [part, part + 1].map((at) => Math.floor((size * at) / 8));
      const patched = await fetch(address, {
        method: 'PATCH',
        headers: { ...tus, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' },
        body: createReadStream(source, { start: from, end: to - 1 }),
        duplex: 'half',
      });
      if (!patched.ok) throw new Error(await patched.text());
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const processor = (processorTime(pid) - spent).toFixed(1);
    console.log(`${values.size} MiB in eight parts, ${bucket}: up ${seconds} s, ${processor} s of the processor`);
  }
}
