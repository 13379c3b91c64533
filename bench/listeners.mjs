// What one change costs a server that delivers it to many live queries, each on a connection of its own: processor time of all its threads for
// each of them. Needs a build (`npm run build`). On Linux.
//
//     node bench/listeners.mjs [--listeners 100] [--changes 2000] [--rounds 3] [--only owners] [--build ../before --build .]
import { readOptions } from '../scripts/options.mjs';
import { OWNER, startCommand } from './harness/command.mjs';
import { inTurns } from './harness/in-turns.mjs';
import { threadsTime } from './harness/processor.mjs';
import { rpcConnection } from './harness/rpc-connection.mjs';
import { median } from './harness/statistics.mjs';

/** What listens: who is signed in, the rule of the table, and the live query of each. */
const ROWS = {
  owners: { title: 'owners', permissions: 'NONE', live: 'LIVE SELECT * FROM note' },
  full: {
    title: 'record users, PERMISSIONS FULL',
    permissions: 'FULL',
    live: 'LIVE SELECT * FROM note',
    isReader: true,
  },
  filter: {
    title: 'record users, PERMISSIONS FULL, a filter',
    permissions: 'FULL',
    live: 'LIVE SELECT text, n FROM note WHERE n >= 0',
    isReader: true,
  },
  rule: {
    title: 'record users, a rule about the record',
    permissions: 'FOR select WHERE published',
    live: 'LIVE SELECT * FROM note',
    isReader: true,
  },
  own: {
    title: 'record users, a rule about the user',
    permissions: 'FOR select WHERE published OR owner = $auth.id',
    live: 'LIVE SELECT * FROM note',
    isReader: true,
  },
  rooms: {
    title: 'owners, each with a room of its own, to one of whom a change is sent',
    permissions: 'NONE',
    live: 'LIVE SELECT * FROM note WHERE room = $room',
    isForOne: true,
  },
  mine: {
    title: 'record users who see notes of their own, to one of whom a change is sent',
    permissions: 'FOR select WHERE owner = $auth.id',
    live: 'LIVE SELECT * FROM note',
    isReader: true,
    isForOne: true,
  },
};
const HELP = `What one change costs a server for each live query that it is delivered to. Needs a build.

  node bench/listeners.mjs [options]

  --listeners N   connections, each with a live query (100)
  --changes N     that are measured; half as many before them aren't (2000)
  --rounds N      in each of which every build has a fresh server (3)
  --only NAMES    of ${Object.keys(ROWS).join(', ')}
  --build DIR     another build: a checkout with dist; given several times, they take turns
  -h, --help      prints this`;
const { values } = readOptions(HELP, {
  options: {
    listeners: { type: 'string', default: '100' },
    changes: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: Object.keys(ROWS).join() },
    build: { type: 'string', multiple: true, default: ['.'] },
  },
});
const LISTENERS = Number(values.listeners);
const CHANGES = Number(values.changes);
/** Users sign up from one address. */
const RATES = ['--signup-rate', '100000/1h', '--signup-rate-database', '100000/1h'];
const PLACE = { NS: 'bench', DB: 'bench' };

async function measure({ permissions, live, isReader, isForOne }) {
  const receivers = isForOne ? 1 : LISTENERS;
  const server = await startCommand('memory', ...RATES);
  try {
    let left = 0;
    let done = () => undefined;
    const notified = () => {
      if (--left === 0) done();
    };
    const writer = await rpcConnection(server.port, notified);
    await writer.ask('signin', OWNER);
    await writer.ask('use', PLACE.NS, PLACE.DB);
    await writer.ask(
      'query',
      `DEFINE TABLE note PERMISSIONS ${permissions}; DEFINE TABLE user PERMISSIONS FULL;
      DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $number))`,
    );
    const listeners = [];
    for (let n = 0; n < LISTENERS; n++) {
      const listener = await rpcConnection(server.port, notified);
      if (isReader) await listener.ask('signup', { ...PLACE, AC: 'people', number: n });
      else {
        await listener.ask('signin', OWNER);
        await listener.ask('use', PLACE.NS, PLACE.DB);
      }
      await listener.ask('query', live, { room: n });
      listeners.push(listener);
    }
    const changes = async (count) => {
      for (let n = 0; n < count; n++) {
        left = receivers;
        const all = new Promise((resolve) => {
          done = resolve;
        });
        const text = 'A note of some words, as people write them to each other';
        await writer.ask(
          'query',
          `UPSERT note:${n % 500} SET text = $text, n = $n, room = $room, owner = type::record('user', $room),
            published = true, at = time::now()`,
          {
            n,
            room: n % LISTENERS,
            text,
          },
        );
        await all;
      }
    };
    await changes(CHANGES / 2);
    const before = threadsTime(server.pid);
    await changes(CHANGES);
    const time = (threadsTime(server.pid) - before) / CHANGES / receivers;
    for (const { close } of [writer, ...listeners]) close();
    return time;
  } finally {
    await server.stop();
  }
}

for (const name of values.only.split(',')) {
  const row = ROWS[name];
  if (row === undefined) {
    console.error(`There is no row '${name}'.\n\n${HELP}`);
    process.exit(1);
  }
  const variants = await inTurns({ builds: values.build, rounds: Number(values.rounds) }, () => measure(row));
  const shown = variants.map(({ name, measured }) => `${name} ${median(measured).toFixed(1)}`);
  console.log(`${row.title}: ${shown.join(', ')} µs for each that gets a change, of ${LISTENERS}`);
}
