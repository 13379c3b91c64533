// Loads the shop: the schema, the search, the records of a folder of NDJSON files, and the employees as users of the database.
// `--help` tells its options.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { TABLES } from './tables.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Records a request, so that each stays well below the server's limit of 1 MiB. */
const BATCH = 500;

const HELP = `Loads the music shop into a server: the schema, the search, the records, and the employees as users of the database.

  node examples/music-shop/load.mjs [FOLDER] --user NAME --pass PASSWORD [options]

FOLDER holds artist.ndjson, album.ndjson, … as the Chinook data set has them, one JSON object a line; without it the small data set beside
this script is loaded.

  --endpoint URL             the server (http://127.0.0.1:8000)
  --user NAME, --pass TEXT   a root user who is an owner
  --ns NAME, --db NAME       where to load it (shop, music)
  --employee-pass TEXT       makes each employee a user of the database with this password
  -h, --help                 prints this

Example, beside "tessera start memory --user root --pass secret":

  node examples/music-shop/load.mjs --user root --pass secret --employee-pass 'staff only'`;

/** Ends the script with a line about what is wrong. */
function giveUp(message) {
  console.error(message);
  process.exit(2);
}

const OPTIONS = {
  allowPositionals: true,
  options: {
    endpoint: { type: 'string', default: 'http://127.0.0.1:8000' },
    ns: { type: 'string', default: 'shop' },
    db: { type: 'string', default: 'music' },
    user: { type: 'string' },
    pass: { type: 'string' },
    'employee-pass': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
};

function readOptions() {
  try {
    return parseArgs(OPTIONS);
  } catch (error) {
    return giveUp(`${error.message}\n(--help lists the options)`);
  }
}

const { values: options, positionals } = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
if (options.user === undefined || options.pass === undefined) {
  giveUp('--user and --pass are needed: who loads the shop\n(--help lists the options)');
}
const folder = positionals[0] ?? join(HERE, 'data');

async function post(path, headers, body) {
  const response = await fetch(`${options.endpoint}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body,
  }).catch(({ cause }) => giveUp(`No server answers at ${options.endpoint}: ${cause?.code ?? cause?.message}`));
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text);
}

// Signing in once is quicker than a password with each request.
const credentials = JSON.stringify({ user: options.user, pass: options.pass });
const { token } = await post('/signin', { 'content-type': 'application/json' }, credentials);

async function sql(text) {
  const headers = { authorization: `Bearer ${token}`, 'svc-ns': options.ns, 'svc-db': options.db };
  for (const { status, result } of await post('/sql', headers, text)) if (status !== 'OK') throw new Error(result);
}

/** A value as a literal of the query language. JSON's strings, numbers and booleans are literals already. */
function literal(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if ('link' in value) return `${value.link}:${value.key}`;
  if ('decimal' in value) return `${value.decimal}dec`;
  return `d'${value.datetime}'`;
}

function record(row, { table, key, fields }) {
  const entries = key === undefined ? [] : [['id', `${table}:${row[key]}`]];
  for (const [name, [column, convert]] of Object.entries(fields)) {
    const value = convert(row[column]);
    if (value !== undefined) entries.push([name, literal(value)]);
  }
  return `{ ${entries.map(([name, text]) => `${name}: ${text}`).join(', ')} }`;
}

for (const file of ['schema.surql', 'search.surql']) await sql(readFileSync(join(HERE, file), 'utf8'));
let total = 0;
for (const definition of TABLES) {
  const lines = readFileSync(join(folder, `${definition.table}.ndjson`), 'utf8')
    .split('\n')
    .filter(Boolean);
  const insert = definition.edge ? 'INSERT RELATION' : 'INSERT';
  for (let at = 0; at < lines.length; at += BATCH) {
    const records = lines.slice(at, at + BATCH).map((line) => record(JSON.parse(line), definition));
    await sql(`${insert} INTO ${definition.table} [${records.join(', ')}] RETURN NONE`);
  }
  total += lines.length;
  console.log(`${String(lines.length).padStart(6)} ${definition.table}`);
}
if (options['employee-pass'] !== undefined) {
  const employees = readFileSync(join(folder, 'employee.ndjson'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  for (const { FirstName, Title } of employees) {
    const role = /General Manager/.test(Title) ? 'OWNER' : /Manager/.test(Title) ? 'EDITOR' : 'VIEWER';
    const password = JSON.stringify(options['employee-pass']);
    await sql(
      `DEFINE USER OVERWRITE ${FirstName.toLowerCase()} ON DATABASE PASSWORD ${password} ROLES ${role} DURATION FOR SESSION 12h`,
    );
  }
  console.log(`${String(employees.length).padStart(6)} users`);
}
console.log(`${total} records in ${options.ns}/${options.db}`);
