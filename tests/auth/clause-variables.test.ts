/** Which variables of a SIGNIN clause name an account, and which are secrets to guess. */
import { expect, test } from 'vitest';
import { attemptedVariables } from '../../src/auth/attempts/attempted-variables.js';
import { clauseVariables } from '../../src/auth/attempts/clause-variables.js';
import { parseExpression } from '../../src/language/parse.js';
import { objectFrom, RecordId } from '../../src/value/value.js';

const SELECT = 'SELECT * FROM user WHERE email = $email AND';

test.each([
  ['a compare', `(${SELECT} crypto::argon2::compare(hash, $clave))`, 'email', 'clave'],
  ['another hash', `(${SELECT} crypto::bcrypt::compare(h, $mdp))`, 'email', 'mdp'],
  ['a hash that is stored', `(${SELECT} h = crypto::sha256($senha))`, 'email', 'senha'],
  ['a plain text', `(${SELECT} password = $wort)`, 'email', 'wort'],
  ['a plain text on the left', `(${SELECT} $wort == credentials.passphrase)`, 'email', 'wort'],
  [
    'an object',
    '(SELECT * FROM u WHERE e = $c.email AND crypto::argon2::compare(h, $c.sesame))',
    'c.email',
    'c.sesame',
  ],
  [
    'an index',
    "(SELECT * FROM u WHERE e = $c['email'] AND crypto::scrypt::compare(h, $c['sesame']))",
    'c.email',
    'c.sesame',
  ],
  [
    'a one-time code',
    `{ LET $user = (${SELECT} true); crypto::totp::verify($user.totp, $digits, 0) }`,
    'email',
    'digits',
  ],
  ['a salted guess', `(${SELECT} crypto::argon2::compare(h, $email + $sesame))`, 'email', 'sesame'],
  [
    'a hashed name',
    '(SELECT * FROM u WHERE e = crypto::sha256($email) AND crypto::argon2::compare(h, $x))',
    'email',
    'x',
  ],
  ['a computed index', `(${SELECT} crypto::argon2::compare(h, $many[$email]))`, 'email', 'many'],
  ['a cast guess', `(${SELECT} crypto::pbkdf2::compare(h, <string> $pin))`, 'email', 'pin'],
  [
    'a guess that is also checked',
    `{ IF $x = NONE { THROW 'x' }; ${SELECT} crypto::argon2::compare(h, $x) }`,
    'email',
    'x',
  ],
])('%s', (_, text, named, secret) => {
  const { read, secrets } = clauseVariables(parseExpression(text));
  expect([...secrets]).toEqual([secret]);
  expect([...read]).toEqual(expect.arrayContaining([named, secret]));
});

test('what a client sends: objects are walked; what the clause doesn’t read and secrets are left out', () => {
  const clause = clauseVariables(
    parseExpression(
      '(SELECT * FROM u WHERE e = $c.email AND n IN $who AND i = $id AND crypto::argon2::compare(h, $c.sesame))',
    ),
  );
  const sent = objectFrom({
    c: objectFrom({ email: 'ann', sesame: 'open', other: 'x', password: 'y' }),
    who: objectFrom({ names: ['a', 7n], deep: objectFrom({ clave: 'z', token: 't' }) }),
    unread: 'u',
    flag: true,
    id: new RecordId('user', 'ann'),
    at: [new RecordId('user', 'not read')],
  });
  expect(attemptedVariables(sent, clause)).toEqual([
    { path: 'c.email', text: 'ann' },
    { path: 'id', text: 'user:ann' },
    { path: 'who.deep.clave', text: 'z' },
    { path: 'who.names', text: 'a' },
    { path: 'who.names', text: '7' },
  ]);
});
