// How many requests a server answers, and what each costs it.

/** How long a round takes, in milliseconds. */
const MILLISECONDS = 400;

/** Sends a request on every connection again and again for a while: requests a second, and microseconds of the server for each. */
export async function measure(server, connections, request, atOnce = 1) {
  const before = await server.processorTime();
  const began = performance.now();
  const end = began + MILLISECONDS;
  let count = 0;
  // A client that sleeps between two answers has to be woken by the server's write, which costs a slow server more than a fast one.
  let awake = setImmediate(function stayAwake() {
    awake = setImmediate(stayAwake);
  });
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise((resolve, reject) => {
          const next = (answer) => {
            if (answer === undefined) return reject(new Error('the server hung up'));
            count += atOnce;
            if (performance.now() < end) connection.request(request, next, atOnce);
            else resolve();
          };
          connection.request(request, next, atOnce);
        }),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  clearImmediate(awake);
  return { rate: count / seconds, cost: ((await server.processorTime()) - before) / count };
}

export const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

export const bodyOf = (answer) => answer.toString().split('\r\n\r\n')[1];

export const printRow = (name, cells) => console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(12)).join(''));
