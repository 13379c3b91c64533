// The primary of a replicated PostgreSQL is killed while two Tessera nodes write to it. `--help` tells the options.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cluster } from './cluster.mjs';

const HELP = `Starts etcd, three PostgreSQL under Patroni, HAProxy and two Tessera nodes, kills the primary under load, and says what was lost.

  node examples/failover/run.mjs [options]

  --seconds N     how long clients write before the kill (10)
  --ttl N         seconds after which Patroni takes a primary that is silent for gone (20)
  -h, --help      prints this

It needs Debian's packages postgresql, patroni, python3-etcd, etcd-server and haproxy, and "npm run build" before. It ends everything that it has started.
Exit code 1: an acknowledged write was lost, or one was made twice.`;

const WRITERS = 8;
const ROOT = { user: 'root', pass: 'secret' };

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    ttl: { type: 'string', default: '20' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const cluster = new Cluster();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => cluster.end().finally(() => process.exit(130)));
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await cluster.end();
}

async function run() {
  await cluster.start({ ttl: Number(options.ttl) });
  console.log(`PostgreSQL's primary is ${(await cluster.leader()).name}, and has a synchronous standby`);
  const nodes = [await cluster.node(ROOT), await cluster.node(ROOT)];
  const token = await tokenOf(nodes[0]);
  await sql(nodes[0], token, 'DEFINE TABLE written; DEFINE TABLE counter');

  const acknowledged = [];
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, async (_, at) => {
    while (!isOver) {
      const id = randomUUID();
      if (await write(nodes[at % nodes.length], token, id, at, () => isOver))
        acknowledged.push({ id, at: performance.now() });
    }
  });
  await wait(Number(options.seconds) * 1_000);
  const before = acknowledged.length;
  const killed = await cluster.killPrimary();
  const since = performance.now();
  console.log(`${before} writes acknowledged; ${killed} and its Patroni are killed (SIGKILL)`);
  await until(async () => (await cluster.leader())?.name !== killed && (await cluster.isWritable()));
  console.log(`Another primary takes writes after ${inSeconds(performance.now() - since)}`);
  const promoted = performance.now();
  await until(() => acknowledged.some(({ at }) => at > promoted));
  console.log(`Writes go on ${inSeconds(performance.now() - promoted)} later`);
  await wait(3_000);
  isOver = true;
  await Promise.all(writers);
  return report(nodes[0], token, acknowledged);
}

/** Whether it was acknowledged: at once, or as having been made when the answer was lost. */
async function write(node, token, id, writer, isOver) {
  const text = `BEGIN; CREATE written:⟨${id}⟩ RETURN NONE; UPSERT counter:${writer} SET n += 1 RETURN NONE; COMMIT`;
  for (let isFirst = true; !isOver() || isFirst; isFirst = false) {
    try {
      if (!isFirst && (await isThere(node, token, id))) return true;
      await sql(node, token, text);
      return true;
    } catch {
      await wait(100);
    }
  }
  return false;
}

async function isThere(node, token, id) {
  const [found] = await sql(node, token, `SELECT VALUE id FROM ONLY written:⟨${id}⟩`);
  return found !== null;
}

async function report(node, token, acknowledged) {
  const [ids, [{ total }]] = await sql(
    node,
    token,
    'SELECT VALUE <string> record::id(id) FROM written; SELECT math::sum(n) AS total FROM counter GROUP ALL',
  );
  const stored = new Set(ids);
  const lost = acknowledged.filter(({ id }) => !stored.has(id)).length;
  const times = acknowledged.map(({ at }) => at).sort((a, b) => a - b);
  const silence = times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0);
  console.log(`${acknowledged.length} acknowledged, ${stored.size} stored, counted ${total}; lost: ${lost}`);
  console.log(`Longest time without an acknowledged write: ${inSeconds(silence)}`);
  return lost === 0 && total === stored.size;
}

async function tokenOf(node) {
  const response = await fetch(`${node}/signin`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify(ROOT),
  });
  return (await response.json()).token;
}

/** @throws Error what the server says, or that it doesn't answer */
async function sql(node, token, text) {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, 'svc-ns': 'test', 'svc-db': 'test' };
  const response = await fetch(`${node}/sql`, {
    method: 'POST',
    headers,
    body: text,
    signal: AbortSignal.timeout(15_000),
  });
  if (!response.ok) throw new Error(await response.text());
  const entries = await response.json();
  const failed = entries.find(({ status }) => status !== 'OK');
  if (failed !== undefined) throw new Error(failed.result);
  return entries.map(({ result }) => result);
}

async function until(isSo) {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it takes longer than two minutes');
    await wait(100);
  }
}

function inSeconds(milliseconds) {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
