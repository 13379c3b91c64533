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
]);
