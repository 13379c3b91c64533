// Loaded before a server: tells the longest turn of its event loop when asked.
import { longestTurn, watchTurns } from './turn-watch.mjs';

watchTurns();
process.on('message', (message) => {
  if (message === 'longest turn') process.send?.(longestTurn());
});
