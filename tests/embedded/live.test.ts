/** Live queries of the engine in process. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { open, type Tessera, toText } from '../../src/embedded/index.js';

let db: Tessera;
let heard: string[];

beforeEach(async () => {
  db = await open('memory');
  heard = [];
  await db.use('test', 'test');
  await db.query('DEFINE TABLE person');
});
afterEach(() => db.close());

const hear = (notification: { action: string; result: Parameters<typeof toText>[0] }) => {
  heard.push(`${notification.action} ${toText(notification.result)}`);
};

it('sends each handler what its query sees, until it is killed', async () => {
  const adults = await db.live('LIVE SELECT VALUE name FROM person WHERE age > $age', hear, { age: 17 });
  const all = await db.live('LIVE SELECT VALUE id FROM person', hear);
  await db.query("CREATE person:1 SET name = 'Ann', age = 30; CREATE person:2 SET name = 'Kid', age = 3");
  await expect.poll(() => heard.sort()).toEqual(["CREATE 'Ann'", 'CREATE person:1', 'CREATE person:2']);
  await all.kill();
  await all.kill();
  await db.query('DELETE person:1');
  await expect.poll(() => heard.slice(3)).toEqual(["DELETE 'Ann'"]);
  await db.query('REMOVE TABLE person');
  await expect.poll(() => heard.slice(4)).toEqual(['KILLED NONE']);
  await adults.kill();
});

it('computes only what the query reads', async () => {
  await db.query(
    'DEFINE FIELD boom ON person COMPUTED { THROW "x" }; DEFINE FIELD twice ON person COMPUTED n * 2; DEFINE FUNCTION fn::boom() { $this.boom }',
  );
  for (const asked of ['twice', '*', '$after.n', 'fn::boom()']) {
    await db.live(`LIVE SELECT ${asked} FROM person`, hear);
  }
  await db.live('LIVE SELECT VALUE n FROM person WHERE boom', hear);
  await db.live('LIVE SELECT DIFF FROM person', hear);
  await db.live('LIVE SELECT VALUE id FROM person WHERE twice > 2', hear);
  await db.query('CREATE person:1 SET n = 1 RETURN NONE; CREATE person:2 SET n = 2 RETURN NONE');
  await expect.poll(() => heard).toEqual(['CREATE { twice: 2 }', 'CREATE { twice: 4 }', 'CREATE person:2']);
});

it('goes on behind a versionstamp', async () => {
  await db.query(
    'REMOVE TABLE person; DEFINE TABLE person CHANGEFEED 1d INCLUDE ORIGINAL; CREATE person:1; CREATE person:2',
  );
  const text = 'LIVE SELECT VALUE record::id(id) FROM person SINCE $since';
  let last: bigint | undefined = 0n;
  for await (const { result, versionstamp } of await db.subscribe<number>(text, { since: last })) {
    last = versionstamp;
    if (result === 1) break;
  }
  await db.query('CREATE person:3');
  const missed: number[] = [];
  for await (const { result } of await db.subscribe<number>(text, { since: last })) {
    if (missed.push(result) === 2) break;
  }
  expect(missed).toEqual([2, 3]);
});

it('receives one change after the other', async () => {
  let wake = () => {};
  await db.live('LIVE SELECT VALUE id FROM person', (notification) => {
    hear(notification);
    return new Promise<void>((resolve) => {
      wake = resolve;
    });
  });
  await db.query('CREATE person:1; CREATE person:2');
  await expect.poll(() => heard).toEqual(['CREATE person:1']);
  wake();
  await expect.poll(() => heard).toEqual(['CREATE person:1', 'CREATE person:2']);
  wake();
});

it('ends what a failing handler listens to, and leaves the writers alone', async () => {
  await db.live('LIVE SELECT * FROM person', () => {
    throw new Error('a bug of the host');
  });
  await db.query('CREATE person:1; CREATE person:2');
  await expect.poll(async () => toText((await db.query('(INFO FOR TABLE person).lives'))[0])).toBe('{  }');
  await expect(db.live('LIVE SELECT * FROM person', hear)).rejects.toMatchObject({ code: 'realtime_unavailable' });
});

it.each(['SELECT * FROM person', 'LIVE SELECT * FROM person; LIVE SELECT * FROM person', 'CREATE person', ''])(
  'takes no other statement: %s',
  async (text) => {
    await expect(db.live(text, hear)).rejects.toMatchObject({ code: 'invalid_params' });
    expect(await db.query('SELECT * FROM person')).toEqual([[]]);
  },
);

it('keeps a result right, whole each time, and gives a slow loop the latest', async () => {
  await db.query('CREATE person:1 SET n = 1; CREATE person:2 SET n = 2');
  const seen: string[] = [];
  const top = await db.watch('SELECT VALUE n FROM person ORDER BY n DESC LIMIT 2');
  const looped = (async () => {
    for await (const ns of top) {
      seen.push(toText(ns));
      if (seen.length === 1) await db.query('UPDATE person:1 SET n = 3; UPDATE person:1 SET n = 4');
      if (toText(ns) === '[4, 2]') break;
    }
  })();
  await looped;
  expect([seen[0], seen.at(-1)]).toEqual(['[2, 1]', '[4, 2]']);
  expect(await top.next()).toEqual({ done: true, value: undefined });
});

it('applies differences of rows to a result, those of one moment together', async () => {
  await db.query('CREATE person:1 SET n = 1; CREATE person:2 SET n = 2; CREATE person:3 SET n = 3');
  await using rows = await db.watch<readonly { readonly n: number }[]>('SELECT id, n FROM person ORDER BY n');
  const next = async () => toText((await rows.next()).value as never);
  expect(await next()).toBe('[{ id: person:1, n: 1 }, { id: person:2, n: 2 }, { id: person:3, n: 3 }]');
  await db.query('BEGIN; UPDATE person:1 SET n = 5; DELETE person:2; CREATE person:4 SET n = 0; COMMIT');
  expect(await next()).toBe('[{ id: person:4, n: 0 }, { id: person:3, n: 3 }, { id: person:1, n: 5 }]');
  await db.query('REMOVE TABLE person');
  await expect(rows.next()).rejects.toMatchObject({ code: 'table_missing' });
});

it('says what cannot be kept right', async () => {
  await expect(db.watch('CREATE person')).rejects.toMatchObject({ code: 'live_result_statement' });
  await expect(db.watch('1; 2')).rejects.toMatchObject({ code: 'invalid_params' });
  await expect(db.watch('rand()')).rejects.toMatchObject({ code: 'live_result_unsteady' });
});
