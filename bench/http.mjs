// Requests over HTTP and WebSocket, beside a bare echo of the libraries that Tessera serves with: the same bytes, the same client,
// alternating rounds, medians. Everything on the loopback interface; the servers are processes of their own.
//
//   npm run build && cd bench && npm ci && npm run http
//
// Rates depend on what else the machine does and on how fast the client is; the processor time that a server uses for a request
// depends on neither, so look at that first.

import { bodyOf, measure, median, printRow } from './rates.mjs';
import { httpConnection, postBytes, textFrame, webSocketConnection } from './raw-client.mjs';
import { startServer } from './server-process.mjs';

const CONNECTIONS = 16;
const ROUNDS = 15;

const TESSERA = ['start', 'memory', '--user', 'root', '--pass', 'secret', '--bind', '127.0.0.1:8765'];
const echo = await startServer('echo-server.mjs');
const tessera = await startServer(process.env.TESSERA ?? '../dist/bin/tessera.js', ...TESSERA);

const setup = await httpConnection(tessera.port);
const place = { accept: 'application/json', 'svc-ns': 'bench', 'svc-db': 'bench' };
const send = async (path, headers, body) => bodyOf(await setup.ask(postBytes(path, headers, body)));
const credentials = (body) => [{ ...place, 'content-type': 'application/json' }, JSON.stringify(body)];
const { token } = JSON.parse(await send('/signin', ...credentials({ user: 'root', pass: 'secret' })));
const headers = { ...place, authorization: `Bearer ${token}` };
await send(
  '/sql',
  headers,
  `DEFINE TABLE person PERMISSIONS FOR select WHERE id = $auth.id;
   DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE person:1 SET name = 'Ada', age = 36)`,
);
const signUp = credentials({ ns: 'bench', db: 'bench', ac: 'account', variables: {} });
const { token: recordToken } = JSON.parse(await send('/signup', ...signUp));
const recordHeaders = { ...place, authorization: `Bearer ${recordToken}` };

const http = (port) => Promise.all(Array.from({ length: CONNECTIONS }, () => httpConnection(port)));
const sockets = (port, path, first) =>
  Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await webSocketConnection(port, path);
      for (const frame of first) await connection.ask(frame);
      return connection;
    }),
  );
const call = (method, ...params) => textFrame(JSON.stringify({ id: 1, method, params }));

const connections = {
  http: { ours: await http(tessera.port), bare: await http(echo.port) },
  webSocket: {
    ours: await sockets(tessera.port, '/rpc', [call('authenticate', token), call('use', 'bench', 'bench')]),
    bare: await sockets(echo.port, '/', []),
  },
};
const posted = (text, all = headers) => ({
  over: 'http',
  ours: postBytes('/sql', all, text),
  bare: postBytes('/', all, text),
});
const framed = (text, atOnce = 1) => {
  const bytes = Buffer.concat(Array(atOnce).fill(call('query', text)));
  return { over: 'webSocket', atOnce, ours: bytes, bare: bytes };
};

const READ = 'SELECT * FROM person:1';
const CASES = {
  'POST /sql RETURN 1': posted('RETURN 1'),
  'POST /sql read one': posted(READ),
  '… by a record user': posted(READ, recordHeaders),
  'POST /sql write one': posted('UPDATE person:1 SET age = 37 RETURN NONE'),
  'WebSocket RETURN 1': framed('RETURN 1'),
  'WebSocket read one': framed(READ),
  'WebSocket write one': framed('UPDATE person:1 SET age = 37 RETURN NONE'),
  '… read one, 16 at once': framed(READ, 16),
};

printRow('', ['tessera/s', 'echo/s', 'ratio', 'tessera µs', 'echo µs', 'ratio']);
for (const [name, { over, ours, bare, atOnce = 1 }] of Object.entries(CASES)) {
  if (!name.includes(process.argv[2] ?? '')) continue;
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      tessera: await measure(tessera, connections[over].ours, ours, atOnce),
      echo: await measure(echo, connections[over].bare, bare, atOnce),
    });
  }
  // Ratios within a round: what disturbs one of the two likely disturbs the other.
  const middle = (of) => median(rounds.map(of));
  printRow(name, [
    middle(({ tessera }) => tessera.rate).toFixed(0),
    middle(({ echo }) => echo.rate).toFixed(0),
    middle(({ tessera, echo }) => echo.rate / tessera.rate).toFixed(2),
    middle(({ tessera }) => tessera.cost).toFixed(1),
    middle(({ echo }) => echo.cost).toFixed(1),
    middle(({ tessera, echo }) => tessera.cost / echo.cost).toFixed(2),
  ]);
}
echo.stop();
tessera.stop();
process.exit(0);
