/** Watches how many requests begin in a round of the event loop. */

/** @returns a function that ends it, and gives the most by which `begun` rose between two rounds */
export function watchRounds(begun: () => number): () => number {
  let most = 0;
  let before = begun();
  let watches = true;
  const watch = () => {
    most = Math.max(most, begun() - before);
    before = begun();
    if (watches) setImmediate(watch);
  };
  watch();
  return () => {
    watches = false;
    return most;
  };
}
