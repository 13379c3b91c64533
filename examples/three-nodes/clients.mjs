// Clients of the shop, by the official client library: sellers, who write; customers, who read; and listeners with a live query each. The library
// connects again by itself when a connection is lost, and begins its live queries again.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { RecordId, Surreal, Table } from 'surrealdb';
import { WebSocket } from 'ws';

/** Milliseconds without an answer after which a client asks again. */
const PATIENCE = 5_000;

const SALE = `BEGIN;
  CREATE $invoice SET customer = $customer, date = time::now(), total = 0.99dec RETURN NONE;
  CREATE $line SET invoice = $invoice, track = $track, unit_price = 0.99dec, quantity = 1 RETURN NONE;
  UPSERT $till SET sold += 1 RETURN NONE;
  COMMIT`;

/**
 * As in browsers, each message is an event of its own. Where several come at once, release 2.0.8 of the library shows only the first to a live query.
 */
class MessageByMessage extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols, { allowSynchronousEvents: false });
  }
}

export class Client {
  #db = new Surreal({ websocketImpl: MessageByMessage });
  /** The longest time from a wish to its fulfilment, with all that was tried, in milliseconds. */
  longest = 0;
  /** How often something failed and was tried again. */
  repeated = 0;

  async connect(url, user) {
    await this.#db.connect(`${url.replace('http', 'ws')}/rpc`, {
      namespace: 'shop',
      database: 'music',
      authentication: user,
      reconnect: { attempts: -1, retryDelay: 50, retryDelayMax: 500 },
    });
  }

  query(text, variables) {
    const expired = wait(PATIENCE, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')));
    return Promise.race([this.#db.query(text, variables), expired]);
  }

  /** Does something until it succeeds, and measures how long that takes. */
  async insist(attempt) {
    const began = performance.now();
    for (let isFirst = true; ; isFirst = false) {
      try {
        const result = await attempt(isFirst);
        this.longest = Math.max(this.longest, performance.now() - began);
        return result;
      } catch {
        this.repeated++;
        await wait(50);
      }
    }
  }

  /** Calls back with each record that a live query of a table shows, and whenever it has begun again. */
  async listen(table, onRecord, onAgain) {
    const live = await this.#db.live(new Table(table));
    live.subscribe(({ action, recordId }) => action === 'CREATE' && onRecord(recordId));
    this.#db.subscribe('connected', onAgain);
  }

  close() {
    return this.#db.close();
  }
}

/** Sells until `isOver`. Gives the ids of the invoices that were acknowledged. */
export async function sell(client, { customer, tracks }, isOver) {
  const sold = [];
  while (!isOver()) {
    const id = randomUUID();
    const invoice = new RecordId('invoice', id);
    const line = new RecordId('invoice_line', id);
    const track = tracks[sold.length % tracks.length];
    await client.insist(async (isFirst) => {
      // Where an answer was lost, the sale may be there: its id was drawn here, so that it can be looked for.
      if (!isFirst && (await isThere(client, invoice))) return;
      await client.query(SALE, { invoice, line, customer, track, till: new RecordId('till', customer.id) });
    });
    sold.push(id);
  }
  return sold;
}

async function isThere(client, record) {
  const [found] = await client.query('SELECT VALUE id FROM ONLY $record', { record });
  return found !== undefined && found !== null;
}

/** Reads until `isOver`. Gives how often. */
export async function browse(client, isOver) {
  let reads = 0;
  while (!isOver()) {
    await client.insist(() => client.query('SELECT name, album.title, album.artist.name FROM track LIMIT 10'));
    reads++;
  }
  return reads;
}

/** Notes all invoices, by a live query; after an interruption it reads what there is, since what was sent meanwhile is lost. */
export class Listener {
  /** How often each invoice was shown by the live query. */
  shown = new Map();
  caughtUp = new Set();
  again = 0;

  async start(client) {
    await client.listen(
      'invoice',
      ({ id }) => this.shown.set(`${id}`, (this.shown.get(`${id}`) ?? 0) + 1),
      async () => {
        this.again++;
        await client.insist(() => this.catchUp(client));
      },
    );
  }

  async catchUp(client) {
    const [ids] = await client.query('SELECT VALUE id FROM invoice');
    for (const { id } of ids) this.caughtUp.add(`${id}`);
  }

  knows(id) {
    return this.shown.has(id) || this.caughtUp.has(id);
  }
}
