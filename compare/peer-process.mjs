// The peer in a process of its own, since a panic ends it. Each message holds the steps of a script; the answer is what the peer says to them, in a
// store of its own.
import { openPeerEngine } from './engines.mjs';
import { answers } from './script.mjs';

const [dist, folder] = process.argv.slice(2);

process.on('message', async (steps) => {
  const peer = await openPeerEngine(dist, folder);
  const given = await answers(peer, steps);
  peer.close();
  process.send?.(given);
});
process.send?.('ready');
