// Has the Studio import each name of a library from the file that defines it. esbuild divides its output by files: through the library's index,
// the form to sign in would load whatever any view needs of it.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const LIBRARY = '@mantine/core';
const FOLDER = resolve('node_modules', LIBRARY, 'esm');

/** A plugin of esbuild. */
export const directImports = {
  name: 'direct-imports',
  setup({ onLoad }) {
    const fileOf = filesOfNames();
    onLoad({ filter: /[\\/]studio[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(IMPORT, (_, names) => directly(names, fileOf)),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }));
  },
};

const IMPORT = new RegExp(`import \\{([^}]*)\\} from '${LIBRARY}';`, 'g');

/** The file of each name that the library's index imports and hands on. */
function filesOfNames() {
  const index = readFileSync(`${FOLDER}/index.mjs`, 'utf8');
  const imports = [...index.matchAll(/import \{([^}]*)\} from "([^"]+)";/g)];
  return new Map(imports.flatMap(([, names, file]) => names.split(',').map((name) => [name.trim(), file])));
}

function directly(names, fileOf) {
  const values = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  return values.map((name) => `import { ${name} } from ${JSON.stringify(`${FOLDER}/${fileOf.get(name)}`)};`).join(' ');
}
