// Requests at a steady rate, independent of the answers to earlier ones.

/**
 * How many milliseconds each of the requests takes that are due within `milliseconds`, at random moments, `rate` of them a second. A
 * client asks for one at a time, and time counts from when a request was due: a server that stands still delays all that would have been
 * sent meanwhile, also what waits here until its client may ask again.
 *
 * @param {readonly {ask: (request: Uint8Array) => Promise<string | undefined>}[]} clients  who take turns
 * @param {() => Uint8Array} request  the next one
 * @param {number} rate
 * @param {number} milliseconds
 * @param {(answer: string | undefined) => unknown} check  throws when an answer isn't one
 * @returns {Promise<number[]>}
 */
export async function latenciesAtRate(clients, request, rate, milliseconds, check) {
  const times = [];
  const began = performance.now();
  const gap = gaps(1_000 / rate);
  let next = began + gap();
  const queues = clients.map(() => ({ due: /** @type {number[]} */ ([]), done: Promise.resolve(), isAsking: false }));

  const ask = async (client, queue) => {
    queue.isAsking = true;
    for (let due = queue.due.shift(); due !== undefined; due = queue.due.shift()) {
      check(await client.ask(request()));
      times.push(performance.now() - due);
    }
    queue.isAsking = false;
  };

  let n = 0;
  const end = began + milliseconds;
  while (next < end) {
    // Timers are a millisecond late, which counts; polling the clock instead would take processor time from the server.
    await new Promise((resume) => setTimeout(resume, 1));
    // A timer that comes after the end doesn't add to what was due.
    for (const now = performance.now(); next <= now && next < end; next += gap()) {
      const at = n++ % clients.length;
      const queue = queues[at];
      queue.due.push(next);
      if (!queue.isAsking) queue.done = ask(clients[at], queue);
    }
  }
  await Promise.all(queues.map(({ done }) => done));
  return times;
}

/** Times between moments that know nothing of each other, `mean` on average; the same in each run. */
function gaps(mean) {
  let random = 1;
  return () => {
    random = (random * 48_271) % 2_147_483_647;
    return -mean * Math.log(random / 2_147_483_647);
  };
}
