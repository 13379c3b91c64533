// Builds of the command that are measured in turns, so that what disturbs the machine disturbs all of them.
import { resolve } from 'node:path';
import { lacksCommand, useFolder } from './build.mjs';

/**
 * Measures each build with each of Node's flags, once a round. Ends the process if a build is missing.
 * @template T
 * @param {{builds: readonly string[], flags?: readonly string[], rounds: number}} variants  folders of checkouts; flags are none by default
 * @param {() => Promise<T>} measure
 * @returns {Promise<{name: string, measured: T[]}[]>}
 */
export async function inTurns({ builds, flags = [''], rounds }, measure) {
  const variants = builds.flatMap((build) =>
    flags.map((those) => ({ build, flags: those, name: `${build} ${those}`.trim(), measured: [] })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const variant of variants) {
      useFolder(resolve(variant.build, 'dist'));
      process.env.SERVER_FLAGS = variant.flags;
      const missing = lacksCommand();
      if (missing !== undefined) {
        console.error(missing);
        process.exit(1);
      }
      variant.measured.push(await measure());
    }
  }
  return variants;
}
