/**
 * A server on a store on disk that redeems what it is given, and may be killed at a commit: `node redeem-kills-child.js
 * <folder> <what> [<commit> before|after]`. It is given the variables of signin as JSON, a mailed link, or the address of
 * a provider from which a user comes back. Commits count from when it begins. It prints the id of the record that got
 * in, or the code to which a page leads.
 */
import { findDatabase } from '../../../src/catalog/definitions/lookup.js';
import { databaseArea } from '../../../src/catalog/keys/store-keys.js';
import { realEnvironment } from '../../../src/env/real.js';
import type { Onward } from '../../../src/session/contract.js';
import { openDatabase } from '../../../src/session/database/database.js';
import type { Engine } from '../../../src/storage/contract.js';
import { openLmdb } from '../../../src/storage/lmdb/engine/lmdb.js';
import { parseJson } from '../../../src/value/codecs/json-parse.js';
import { toText } from '../../../src/value/text/text.js';
import type { ObjectValue } from '../../../src/value/value.js';
import { providersNetwork } from '../../support/identity-provider.js';
import { appUrl } from '../../support/mailbox.js';
import { OPTIONS, openProvider, PATH } from './redeem-kills-world.js';

const [, , folder = '', what = '', at, when] = process.argv;

let left = Number.POSITIVE_INFINITY;
const die = () => void process.kill(process.pid, 'SIGKILL');

/** The sender of mails and other background work write at any time. */
const isOfRedeeming = (key: string) => key.startsWith(area) && !key.startsWith(mails);

/** Ends the process around one of the commits of what is written. */
function killing(inner: Engine): Engine {
  const { begin } = inner;
  inner.begin = (options) => {
    const transaction = begin.call(inner, options);
    if (transaction instanceof Promise || !options.writable) return transaction;
    const { commit, put, delete: remove } = transaction;
    let redeems = false;
    transaction.put = (key, value) => {
      redeems ||= isOfRedeeming(key);
      return put.call(transaction, key, value);
    };
    transaction.delete = (key) => {
      redeems ||= isOfRedeeming(key);
      return remove.call(transaction, key);
    };
    transaction.commit = () => {
      const isNow = redeems && --left === 0;
      if (isNow && when === 'before') die();
      const done = commit.call(transaction);
      if (!isNow) return done;
      return done instanceof Promise ? done.then(die) : die();
    };
    return transaction;
  };
  return inner;
}

const engine = openLmdb(folder);
const snapshot = await engine.begin({ writable: false });
const { id } = (await findDatabase(snapshot, 'test', 'test'))!;
snapshot.cancel();
const area = databaseArea(id);
const mails = `${area}m`;
const provider = await openProvider();
provider.now = () => Math.floor(Date.now() / 1000);
const environment = { ...realEnvironment, network: providersNetwork(provider) };
const database = await openDatabase(killing(engine), { ...OPTIONS, environment });
if (at !== undefined) left = Number(at);
const work = what.startsWith('{') ? signedIn : what.startsWith(provider.issuer) ? returned : confirmed;
process.stdout.write(`${await work()}\n`);
await database.close();
process.exit(0);

async function signedIn(): Promise<string> {
  const session = database.session({});
  await session.signIn(parseJson(what) as ObjectValue);
  return toText(session.identity.auth);
}

async function confirmed(): Promise<string> {
  return codeIn(await database.confirmLink(PATH, 'mail', what));
}

async function returned(): Promise<string> {
  return codeIn(await database.returnFromProvider(PATH, 'provider', provider.signIn(what, { sub: 'ann-1' })));
}

function codeIn(to: Onward): string {
  return appUrl(to).searchParams.get('code') as string;
}
