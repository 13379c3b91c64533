// A process of hostile clients: each attack goes on by itself, with a short rest between two tries, until the process is ended.
import { ATTACKS } from './attacks.mjs';

const REST = 100;
const server = JSON.parse(process.argv[2] ?? '');
const wanted = process.argv[3];
const tried = Object.fromEntries(Object.keys(ATTACKS).map((name) => [name, 0]));

for (const [name, attack] of Object.entries(ATTACKS)) {
  if (wanted !== undefined && wanted !== 'all' && !name.includes(wanted)) continue;
  void (async () => {
    for (;;) {
      // Whether the server refuses, answers or hangs up is its business.
      await attack(server).catch(() => {});
      tried[name]++;
      await new Promise((resume) => setTimeout(resume, REST));
    }
  })();
}
process.on('message', () => process.send?.(tried));
// When the one who measures is gone, so is the reason to go on.
process.on('disconnect', () => process.exit(0));
