// The longest turn of a server's event loop when it does something for the first time, libraries loaded included:
// processor time, in milliseconds, the least of some rounds, each in a fresh server. Needs a build.
//
//     node bench/first-turns.mjs [names=.*] [rounds=3]
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';
import { temporaryFolder } from './harness/temporary-folder.mjs';
import { startServer } from './servers/start.mjs';

const { positionals } = readOptions(
  `Prints the longest turn of a server's event loop when it does something for the first time. Needs a build (npm run build).

  node bench/first-turns.mjs [names=.*] [rounds=3]

  -h, --help   prints this`,
  { allowPositionals: true },
);
const names = new RegExp(positionals[0] ?? '.*');
const rounds = Number(positionals[1] ?? 3);

const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json' };
const DATABASE = { 'surreal-ns': 'first', 'surreal-db': 'first', accept: 'application/json' };
const ROOT = { authorization: `Basic ${Buffer.from('root:secret').toString('base64')}` };

async function post({ port }, path, headers, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  return answer.text();
}

async function sql(server, text) {
  const answer = await post(server, '/sql', { ...DATABASE, ...ROOT }, text);
  if (answer.includes('"ERR"') || answer.includes('"information"')) throw new Error(answer);
  return answer;
}

/** A mail server that takes everything, and holds the answer to the text until it is asked for. */
const mails = createServer((socket) => {
  let isText = false;
  let read = '';
  socket.on('error', () => undefined);
  socket.write('220 here\r\n');
  socket.on('data', (bytes) => {
    read += bytes;
    const end = isText ? '\r\n.\r\n' : '\r\n';
    for (let at = read.indexOf(end); at >= 0; at = read.indexOf(isText ? '\r\n.\r\n' : '\r\n')) {
      const line = read.slice(0, at);
      read = read.slice(at + (isText ? 5 : 2));
      if (isText) mails.emit('taken');
      isText = !isText && line.toUpperCase() === 'DATA';
      socket.write(isText ? '354 go on\r\n' : '250 yes\r\n');
    }
  });
});
mails.listen(0, '127.0.0.1');
await once(mails, 'listening');

const withMail = (server, way) =>
  sql(
    server,
    `${way}; DEFINE TABLE user; CREATE user SET email = 'ann@bench.example';
     DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE`,
  );
const BY_SMTP = `DEFINE CONFIG MAIL FROM 'a@bench.example' SMTP 'smtp://127.0.0.1:${mails.address().port}'`;
const BY_EVENT = `DEFINE TABLE outbox; DEFINE CONFIG MAIL FROM 'a@bench.example' THEN { CREATE outbox CONTENT $mail }`;

const start = (server) =>
  post(
    server,
    '/auth/first/first/mail/start',
    JSON_BODY,
    JSON.stringify({ challenge: CHALLENGE, email: 'ann@bench.example' }),
  );

async function redeem(server, { request, code }) {
  return post(server, '/signin', JSON_BODY, JSON.stringify({ NS: 'first', DB: 'first', AC: 'mail', request, code }));
}

const CASES = {
  'start WITH MAIL': { prepare: (server) => withMail(server, BY_EVENT), act: start },
  'code redeemed': {
    prepare: async (server) => {
      await withMail(server, BY_EVENT);
      const { request } = JSON.parse(await start(server));
      for (;;) {
        const [{ result }] = JSON.parse(await sql(server, 'SELECT VALUE code FROM outbox'));
        if (result.length > 0) return { request, code: result[0] };
      }
    },
    act: redeem,
  },
  'mail sent': {
    prepare: (server) => withMail(server, BY_SMTP),
    act: async (server) => {
      const taken = once(mails, 'taken');
      const answer = await start(server);
      await taken;
      // Its end is written to the store, too.
      await sql(server, 'INFO FOR MAIL');
      return answer;
    },
  },
  'password::common': { act: (server) => sql(server, "RETURN password::common('football')") },
  'password::strength': { act: (server) => sql(server, "RETURN password::strength('correct horse').score") },
};

process.env.SERVER_FLAGS = `--import ${new URL('harness/longest-turn.mjs', import.meta.url).href} ${process.env.SERVER_FLAGS ?? ''}`;
const tessera = fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url));
for (const [name, { prepare, act }] of Object.entries(CASES)) {
  if (!names.test(name)) continue;
  const turns = [];
  let answer = '';
  for (let round = 0; round < rounds; round++) {
    const folder = temporaryFolder();
    const flags = [
      '--user',
      'root',
      '--pass',
      'secret',
      '--log',
      'error',
      '--allow-net',
      '127.0.0.1',
      '--allow-guests',
    ];
    const server = await startServer(tessera, 'start', folder.path, '--bind', '127.0.0.1:0', ...flags);
    await sql(server, 'RETURN 1');
    const prepared = await prepare?.(server);
    await server.ask('longest turn');
    answer = await act(server, prepared);
    turns.push(await server.ask('longest turn'));
    server.stop();
    folder.remove();
  }
  const all = turns.map((each) => each.toFixed(1)).join(', ');
  console.log(
    `${Math.min(...turns)
      .toFixed(1)
      .padStart(8)} ms  ${name.padEnd(24)} (${all})  ${answer.slice(0, 60)}`,
  );
}
process.exit(0);
