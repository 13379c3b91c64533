// Three Tessera nodes on one PostgreSQL, behind HAProxy: clients work while a node is killed. `--help` tells its options.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { browse, Client, Listener, sell } from './clients.mjs';
import { freePort, Processes } from './processes.mjs';

const HELP = `Starts PostgreSQL, HAProxy and three Tessera nodes, loads the music shop, and kills a node while clients are at work.

  node examples/three-nodes/run.mjs [FOLDER] [options]

FOLDER holds the data of the shop (../music-shop/README.md); without it the small data set there is loaded.

  --seconds N     how long clients are at work (12); a node is killed after a third of it, and started again after two thirds
  -h, --help      prints this

It needs Debian's packages postgresql and haproxy, and "npm run build" before. It ends everything that it has started. Exit code 1: something was lost.`;

const ROOT = { username: 'root', password: 'secret' };
const SELLERS = 6;
const BROWSERS = 3;
const LISTENERS = 3;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '12' }, help: { type: 'boolean', short: 'h', default: false } },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const seconds = Number(options.seconds);
if (!(seconds > 0)) {
  console.error('--seconds takes a number above 0');
  process.exit(2);
}

const processes = new Processes();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => processes.end().finally(() => process.exit(130)));
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await processes.end();
}
// Client libraries keep timers of connections that are gone.
process.exit();

async function run() {
  const store = `postgres://postgres@127.0.0.1:${await processes.postgres()}/postgres`;
  const ports = [await freePort(), await freePort(), await freePort()];
  const nodes = [];
  for (const port of ports) nodes.push(await processes.node(store, port, ROOT));
  const url = `http://127.0.0.1:${await processes.haproxy(ports)}`;
  say(`PostgreSQL, three nodes and HAProxy are ready at ${url}`);
  say(await loadShop(url));
  const shop = await prepare(url);

  const began = performance.now();
  const isOver = () => performance.now() - began > seconds * 1_000;
  const clients = await connected(url, SELLERS + BROWSERS + LISTENERS);
  const sellers = clients.slice(0, SELLERS);
  const browsers = clients.slice(SELLERS, SELLERS + BROWSERS);
  const listeners = [];
  for (const client of clients.slice(SELLERS + BROWSERS)) {
    const listener = new Listener();
    await listener.start(client);
    listeners.push({ listener, client });
  }
  const selling = sellers.map((client, at) =>
    sell(client, { ...shop, customer: shop.customers[at % shop.customers.length] }, isOver),
  );
  const browsing = browsers.map((client) => browse(client, isOver));

  await wait((seconds * 1_000) / 3);
  await nodes[1].kill();
  say(`Node two was killed (SIGKILL), ${inSeconds(performance.now() - began)} after the clients had begun`);
  await wait((seconds * 1_000) / 3);
  await processes.node(store, ports[1], ROOT);
  say('Node two is back');

  const sold = (await Promise.all(selling)).flat();
  const reads = (await Promise.all(browsing)).reduce((sum, each) => sum + each, 0);
  say(
    `${sold.length} sales acknowledged, ${reads} reads, ${sum(sellers, 'repeated') + sum(browsers, 'repeated')} attempts repeated`,
  );
  say(`Longest wait of a seller ${inSeconds(longest(sellers))}, of a reader ${inSeconds(longest(browsers))}`);
  const isWhole = (await isAllThere(clients[0], shop, sold)) && (await haveAllHeard(listeners, sold));
  await Promise.all(clients.map((client) => client.close()));
  return isWhole;
}

/** The shop as the music shop's own loader loads it. */
function loadShop(url) {
  const loader = fileURLToPath(new URL('../music-shop/load.mjs', import.meta.url));
  const words = [loader, ...positionals, '--endpoint', url, '--user', ROOT.username, '--pass', ROOT.password];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.once('close', (code) =>
      code === 0 ? resolve(output.trim().split('\n').at(-1)) : reject(new Error('the shop could not be loaded')),
    );
  });
}

/** What clients sell, and to whom. */
async function prepare(url) {
  const [client] = await connected(url, 1);
  await client.query('DEFINE TABLE till');
  const [customers, tracks, before] = await client.query(
    'SELECT VALUE id FROM customer; SELECT VALUE id FROM track LIMIT 100; RETURN (SELECT VALUE id FROM invoice).len()',
  );
  await client.close();
  return { customers, tracks, before };
}

function connected(url, count) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client();
      await client.connect(url, ROOT);
      return client;
    }),
  );
}

/** Each sale that was acknowledged is there, and was made once. */
async function isAllThere(client, { before }, sold) {
  const [ids, [{ total } = { total: 0 }]] = await client.query(
    'SELECT VALUE id FROM invoice; SELECT math::sum(sold) AS total FROM till GROUP ALL',
  );
  const stored = new Set(ids.map(({ id }) => `${id}`));
  const lost = sold.filter((id) => !stored.has(id)).length;
  const made = ids.length - before;
  say(`Stored: ${made} sales, and ${total} in the tills; lost: ${lost}, made twice: ${Number(total) - sold.length}`);
  return lost === 0 && made === sold.length && Number(total) === sold.length;
}

/** Each listener knows of each sale: by its live query, or since it has read again after its node was killed. */
async function haveAllHeard(listeners, sold) {
  let isWhole = true;
  for (const [at, { listener, client }] of listeners.entries()) {
    // The last changes may be under way.
    for (let left = 50; left > 0 && !sold.every((id) => listener.knows(id)); left--) await wait(100);
    const shown = sold.filter((id) => listener.shown.has(id)).length;
    const twice = [...listener.shown.values()].filter((count) => count > 1).length;
    const missing = sold.filter((id) => !listener.knows(id)).length;
    say(
      `Listener ${at + 1}: ${shown} sales by its live query, ${sold.length - shown - missing} read after ${listener.again} new connections, missing: ${missing}, shown twice: ${twice}`,
    );
    isWhole &&= missing === 0 && twice === 0 && client.repeated >= 0;
  }
  return isWhole;
}

function sum(clients, name) {
  return clients.reduce((total, client) => total + client[name], 0);
}

function longest(clients) {
  return Math.max(...clients.map((client) => client.longest));
}

function inSeconds(milliseconds) {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

function say(text) {
  console.log(text);
}
