// The licences of the libraries that stand in a bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** As one text. `inputs` are the paths of all files of the bundle. */
export function licences(inputs) {
  const packages = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(packages)].sort().map(licence).join('\n');
}

function licence(path) {
  const { name, version, license } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
  const file = existsSync(path) && readdirSync(path).find((one) => /^(licen[sc]e|copying)(\.(md|txt))?$/i.test(one));
  const text = file ? readFileSync(`${path}/${file}`, 'utf8').trim() : `Licence: ${license}`;
  return `${name} ${version}\n\n${text}\n\n${'-'.repeat(80)}\n`;
}
