// Packs the most used passwords of @zxcvbn-ts/language-common into src/functions/password/most-used.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readOptions } from './options.mjs';
import { packed } from './pack-passwords.mjs';

const HELP = `Packs the most used passwords, for password::common, into src/functions/password/most-used.ts.

  npm run passwords

  -h, --help   prints this`;
readOptions(HELP);

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common');
const { version } = JSON.parse(readFileSync('node_modules/@zxcvbn-ts/language-common/package.json', 'utf8'));
writeFileSync('src/functions/password/most-used.ts', packed(dictionary['passwords-common'], version));
