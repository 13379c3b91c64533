// The options of a script, as `parseArgs` of Node reads them, with `--help`; one that there isn't ends the script with a line about it.
import { parseArgs } from 'node:util';

/** `help` is printed for `--help`, with which the script ends. */
export function readOptions(help, config = {}) {
  const options = { ...config.options, help: { type: 'boolean', short: 'h', default: false } };
  try {
    const read = parseArgs({ ...config, options });
    if (!read.values.help) return read;
    console.log(help.trim());
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n(--help lists the options)`);
    process.exit(2);
  }
}
