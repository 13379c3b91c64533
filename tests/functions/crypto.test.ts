import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ["crypto::md5('a')", "'0cc175b9c0f1b6a831c399e269772661'"],
  ["crypto::sha1('a')", "'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'"],
  ["crypto::sha256('a')", "'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'"],
  [
    "crypto::sha512('a')",
    "'1f40fc92da241694750979ee6cf582f2d5d7d28e18335de05abc54d0560e0f5302860c652bf08d560252aa5e74210546f369fbbbce8c12cfc7957b2652fe9a75'",
  ],
  ["crypto::blake3('a')", "'17762fddd969a453925d65717ac3eea21320b66b54342fde15128d6caf21215f'"],
  ["crypto::blake3('')", "'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'"],
  ["crypto::joaat('a')", '3392050242'],
  ["crypto::joaat('hello é')", '4253289375'],
  ["crypto::joaat('')", '0'],
  // RFC 4231, test cases 1 and 2.
  [
    `crypto::hmac::sha256(b"${'0b'.repeat(20)}", 'Hi There')`,
    "'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'",
  ],
  [
    "crypto::hmac::sha256('Jefe', 'what do ya want for nothing?')",
    "'5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'",
  ],
  [
    "crypto::hmac::sha512('Jefe', <bytes> 'what do ya want for nothing?')",
    "'164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737'",
  ],
  ["crypto::hmac::compare(crypto::hmac::sha256('k', 'a'), crypto::hmac::sha256('k', 'a'))", 'true'],
  ["crypto::hmac::compare(crypto::hmac::sha256('k', 'a'), crypto::hmac::sha256('k', 'b'))", 'false'],
  ["crypto::hmac::compare('é', 'ee')", 'false'],
  ["crypto::hmac::compare('', '')", 'true'],
  [
    "crypto::hmac::compare('a', NONE)",
    'Incorrect arguments for function crypto::hmac::compare(). Argument 2 was the wrong type. Expected `string` but found `NONE`',
  ],
]);
