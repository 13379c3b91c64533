// Assembles src/vectors/kernels.wat into src/vectors/kernels-binary.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assembled } from './assemble-kernels.mjs';
import { readOptions } from './options.mjs';

const HELP = `Assembles src/vectors/kernels.wat, the loops of exact vector searches, into src/vectors/kernels-binary.ts.

  npm run kernels

  -h, --help   prints this`;
readOptions(HELP);

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
writeFileSync('src/vectors/kernels-binary.ts', await assembled(readFileSync('src/vectors/kernels.wat', 'utf8')));
