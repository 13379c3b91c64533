/** Copies and backups of a store have the files whose bytes are in it, and say which aren't. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runBackup, runRestore } from '../../src/cli/backup.js';
import { runCopy } from '../../src/cli/copy.js';
import { runFilesCheck } from '../../src/cli/files.js';
import { NO_BACKENDS } from '../../src/files/contents/content-stores.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { FileReference } from '../../src/value/value.js';
import { temporaryFolder } from '../support/server-process.js';
import { TextSink } from '../support/text-sink.js';
import { run } from '../support/world.js';

const root = temporaryFolder();
const data = join(root, 'data');
const files = join(root, 'files');
const LARGE = 3_000_000;

async function* bytes(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < LARGE; at += 100_000) yield new Uint8Array(100_000).fill(at % 251);
}

async function opened(folder: string) {
  const database = await openDatabase(openLmdb(folder), { buckets: { ...NO_BACKENDS, folders: [root] } });
  const session = database.ownerSession();
  await session.use('test', 'test');
  return { database, session };
}

beforeAll(async () => {
  const { database, session } = await opened(data);
  await run(
    session,
    `DEFINE BUCKET store; DEFINE BUCKET folder BACKEND 'file:${files}'; DEFINE BUCKET memory BACKEND 'memory'`,
  );
  for (const bucket of ['store', 'folder']) {
    const upload = await session.uploadFile(new FileReference(bucket, '/large'));
    const name = await upload.store(bytes());
    await run(session, `file::put(f"${bucket}:/large", NONE, { upload: '${name}' }); f"${bucket}:/small".put("small")`);
  }
  // A content that is made of two.
  const given = { length: LARGE, type: undefined, expected: undefined, metadata: undefined };
  const upload = await session.beginUpload(new FileReference('store', '/parts'), given);
  for (const piece of [
    [0, 2_000_000],
    [2_000_000, LARGE],
  ] as const)
    await upload.append({
      bytes: (async function* () {
        yield new Uint8Array(piece[1] - piece[0]).fill(7);
      })(),
      isWhole: false,
      put: ({ upload: name }) =>
        run(session, `file::put(f"store:/parts", NONE, { upload: '${name}' })`).then(() => undefined),
    });
  await database.close();
});

const ELSEWHERE = `The bytes of these buckets are not in it: test/test/folder (file:${files})\n`;
const COPIES = {
  copy: (to: string, output: TextSink, json = false) => runCopy(data, to, { json }, { output, errors: new TextSink() }),
  backup: async (to: string, output: TextSink, json = false) => {
    const streams = { output: new TextSink(), errors: new TextSink() };
    await runBackup(data, `${to}-backup`, {}, streams);
    await runRestore(`${to}-backup`, to, { json }, { ...streams, output });
  },
};

describe.each(Object.entries(COPIES))('a %s', (name, copy) => {
  it('has the files of buckets in the store, and says of the others where they are', async () => {
    const [to, output] = [join(root, name), new TextSink()];
    await copy(to, output);
    expect(output.text.endsWith(`\n${ELSEWHERE}`)).toBe(true);
    const json = new TextSink();
    await copy(join(root, `${name}-json`), json, true);
    expect(JSON.parse(json.text)).toMatchObject({ elsewhere: [`test/test/folder (file:${files})`] });
    const check = new TextSink();
    expect(await runFilesCheck(to, { allowBucketFolders: root }, check)).toBe(true);
    const { database, session } = await opened(to);
    for (const file of ['store:/large', 'store:/parts', 'folder:/large']) {
      const [result] = await session.query(`RETURN bytes::len(f"${file}".get())`);
      expect(result?.outcome, file).toMatchObject({ value: LARGE });
    }
    await database.close();
  });
});
