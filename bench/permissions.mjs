// What permissions cost: a record user's reads beside the same reads of an owner who writes the rule into the query.
//
//   npm run build && cd bench && npm run permissions
import { open } from '../dist/embedded/index.js';

const ROWS = 100_000;
const ROUNDS = 15;
const db = await open('memory');
await db.use('bench', 'bench');
await db.query(`
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
  DEFINE TABLE doc PERMISSIONS FOR select WHERE owner = $auth OR public;
  DEFINE INDEX doc_owner ON doc FIELDS owner;
  DEFINE TABLE mine PERMISSIONS FOR select WHERE owner = $auth;
  DEFINE INDEX mine_owner ON mine FIELDS owner;
  DEFINE TABLE few PERMISSIONS FOR select WHERE owner = $auth;
  DEFINE INDEX few_owner ON few FIELDS owner;
  DEFINE ACCESS user ON DATABASE TYPE RECORD SIGNUP (CREATE ONLY user:ada SET name = 'Ada') SIGNIN (SELECT * FROM user:ada);
`);
for (let at = 0; at < ROWS; at += 5_000) {
  const rows = Array.from({ length: 5_000 }, (_, n) => ({
    id: at + n,
    title: `doc ${at + n}`,
    n: at + n,
    public: n % 2 === 0,
  }));
  await db.query(
    `INSERT INTO doc (SELECT *, type::record('user', IF n % 100 = 0 { 'ada' } ELSE { 'bob' }) AS owner FROM $rows) RETURN NONE;
     INSERT INTO mine (SELECT *, type::record('user', IF n % 100 = 0 { 'ada' } ELSE { 'bob' }) AS owner FROM $rows) RETURN NONE`,
    { rows },
  );
}
const few = Array.from({ length: 10_000 }, (_, n) => ({ id: n, title: `doc ${n}`, n }));
await db.query(
  "INSERT INTO few (SELECT *, type::record('user', IF n % 1000 = 0 { 'ada' } ELSE { 'bob' }) AS owner FROM $few) RETURN NONE",
  { few },
);
const user = db.session();
await user.use('bench', 'bench');
await user.signUp({ NS: 'bench', DB: 'bench', AC: 'user' });

const CASES = [
  ['scan, half visible', 'SELECT n FROM doc', 'SELECT n FROM doc WHERE owner = user:ada OR public', 5],
  [
    'filtered scan',
    'SELECT n FROM doc WHERE n < 1000',
    'SELECT n FROM doc WHERE (owner = user:ada OR public) AND n < 1000',
    5,
  ],
  ['10 own of 10,000', 'SELECT * FROM few', 'SELECT * FROM few WHERE owner = user:ada', 2_000],
  ['10 own, asked for', 'SELECT * FROM few WHERE owner = $auth', 'SELECT * FROM few WHERE owner = user:ada', 2_000],
  ['own rows by index', 'SELECT n FROM mine', 'SELECT n FROM mine WHERE owner = user:ada', 50],
  ['one by id', 'SELECT * FROM doc:100', 'SELECT * FROM doc:100', 5_000],
];
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
async function time(session, text, repeat) {
  const began = performance.now();
  for (let at = 0; at < repeat; at++) await session.query(text);
  return ((performance.now() - began) * 1_000) / repeat;
}
console.log(`${'case'.padEnd(20)}${'record user'.padStart(14)}${'owner'.padStart(14)}${'ratio'.padStart(8)}`);
for (const [name, asUser, asOwner, repeat] of CASES) {
  const [seen] = await user.query(asUser);
  const [same] = await db.query(asOwner);
  if (seen.length !== same.length) throw new Error(`${name}: ${seen.length} and ${same.length} rows`);
  const times = { user: [], owner: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.user.push(await time(user, asUser, repeat));
    times.owner.push(await time(db, asOwner, repeat));
  }
  // Other work on the machine slows down both sides of a round alike.
  const ratio = median(times.user.map((each, round) => each / times.owner[round]));
  const [a, b] = [median(times.user), median(times.owner)];
  console.log(
    `${name.padEnd(20)}${`${a.toFixed(1)} µs`.padStart(14)}${`${b.toFixed(1)} µs`.padStart(14)}${ratio.toFixed(2).padStart(8)}`,
  );
}
await db.close();
