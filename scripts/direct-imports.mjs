// Has the Studio import each name of a library from the file that defines it. esbuild divides its output by files: through the library's index,
// the form to sign in would load whatever any view needs of it.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The indexes of the libraries, which import each name from its file. */
const INDEXES = {
  '@mantine/core': 'esm/index.mjs',
  '@primer/octicons-react': 'dist/index.esm.mjs',
};

/** A plugin of esbuild. */
export const directImports = {
  name: 'direct-imports',
  setup({ onLoad }) {
    const libraries = Object.entries(INDEXES).map(([library, index]) => ({
      pattern: new RegExp(`import \\{([^}]*)\\} from '${library}';`, 'g'),
      fileOf: filesOfNames(resolve('node_modules', library, index)),
    }));
    onLoad({ filter: /[\\/]studio[\\/].*\.tsx?$/ }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const { pattern, fileOf } of libraries) {
        contents = contents.replace(pattern, (_, names) => directly(names, fileOf));
      }
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** The file of each name that an index imports and hands on. */
function filesOfNames(index) {
  const imports = [...readFileSync(index, 'utf8').matchAll(/import \{([^}]*)\} from "([^"]+)";/g)];
  return new Map(
    imports.flatMap(([, names, file]) => names.split(',').map((name) => [name.trim(), resolve(dirname(index), file)])),
  );
}

function directly(names, fileOf) {
  const values = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  return values.map((name) => `import { ${name} } from ${JSON.stringify(fileOf.get(name))};`).join(' ');
}
