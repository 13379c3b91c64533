// How late changes reach live queries while a client writes without pause, and how long its writes take. Needs a build (`npm run build`). On
// Linux.
//
//     node bench/busy-writer.mjs [--listeners 100] [--writes 16] [--seconds 5] [--rounds 3] [--build ../before --build .]
import { setTimeout as wait } from 'node:timers/promises';
import { readOptions } from '../scripts/options.mjs';
import { OWNER, startCommand } from './harness/command.mjs';
import { inTurns } from './harness/in-turns.mjs';
import { rpcConnection } from './harness/rpc-connection.mjs';
import { median, quantile } from './harness/statistics.mjs';

const HELP = `How late changes reach live queries while a client writes without pause. Needs a build.

  node bench/busy-writer.mjs [options]

  --listeners N   connections, each with a live query (100)
  --writes N      that are under way at any time (16)
  --seconds N     for which the client writes (5)
  --rounds N      in each of which every build has a fresh server (3)
  --build DIR     another build: a checkout with dist; given several times, they take turns
  -h, --help      prints this`;
const { values } = readOptions(HELP, {
  options: {
    listeners: { type: 'string', default: '100' },
    writes: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    build: { type: 'string', multiple: true, default: ['.'] },
  },
});
const LISTENERS = Number(values.listeners);
const TEXT = 'A note of some words, as people write them to each other';
/** One of so many listeners looks when a change was written: reading all would cost this process more than the server. */
const READER = 20;
/** Milliseconds without a notification after which no more will come. */
const SILENCE = 2_000;
const WRITTEN = /"at":(\d+)/;

async function measure() {
  const server = await startCommand('memory');
  try {
    const writer = await connect(server.port);
    await writer.ask('query', 'DEFINE TABLE note');
    const lags = [];
    let got = 0;
    let lastGot = 0;
    const listeners = [];
    for (let n = 0; n < LISTENERS; n++) {
      const listener = await connect(server.port, (message) => {
        got++;
        lastGot = Date.now();
        const written = n % READER === 0 ? WRITTEN.exec(message.toString())?.[1] : undefined;
        if (written !== undefined) lags.push(Date.now() - Number(written));
      });
      await listener.ask('query', 'LIVE SELECT * FROM note');
      listeners.push(listener);
    }
    const waits = [];
    const end = Date.now() + Number(values.seconds) * 1_000;
    let written = 0;
    const write = async () => {
      while (Date.now() < end) {
        const at = Date.now();
        await writer.ask('query', `UPSERT note:${written++ % 500} SET text = $text, at = $at`, { text: TEXT, at });
        waits.push(Date.now() - at);
      }
    };
    await Promise.all(Array.from({ length: Number(values.writes) }, write));
    while (got < written * LISTENERS && Date.now() - lastGot < SILENCE) await wait(50);
    for (const { close } of [writer, ...listeners]) close();
    for (const times of [lags, waits]) times.sort((a, b) => a - b);
    return { lags, waits, written, missed: written * LISTENERS - got };
  } finally {
    await server.stop();
  }
}

async function connect(port, onNotified) {
  const connection = await rpcConnection(port, onNotified);
  await connection.ask('signin', OWNER);
  await connection.ask('use', 'bench', 'bench');
  return connection;
}

const variants = await inTurns({ builds: values.build, rounds: Number(values.rounds) }, measure);
for (const { name, measured } of variants) {
  const row = (of, share) => median(measured.map((round) => quantile(round[of], share))).toFixed(0);
  const per = median(measured.map(({ written }) => written / Number(values.seconds))).toFixed(0);
  const missed = measured.reduce((all, round) => all + round.missed, 0);
  console.log(
    `${name} ${LISTENERS} listeners, ${values.writes} writes at a time: changes come after ${row('lags', 0.5)} ms (median), ` +
      `${row('lags', 0.99)} ms (p99); writes take ${row('waits', 0.5)} and ${row('waits', 0.99)} ms, ${per} a second; ` +
      `${missed} notifications missed`,
  );
}
