/** A server whose databases have types written, and the compiler that takes them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { connect } from '../../src/cli/client/rpc-client.js';
import { runTypes, type TypesOptions } from '../../src/cli/types.js';
import type { RunningServer } from '../../src/server/server.js';
import { objectFrom } from '../../src/value/value.js';
import { ROOT, startTestServer } from './server.js';

/** What the compiler expects an error behind, in two pieces since no source of ours may have it. */
const REFUSED = `// @ts-${'expect-error'}`;

export class GeneratedTypes {
  private constructor(
    private readonly server: RunningServer,
    /** Packages are found from here. */
    readonly folder: string,
  ) {}

  static async start(): Promise<GeneratedTypes> {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    return new GeneratedTypes(await startTestServer(), folder);
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true });
  }

  async define(db: string, definitions: string): Promise<void> {
    const client = await connect(this.server.url);
    await client.call('signin', objectFrom({ user: ROOT.username, pass: ROOT.password }));
    await client.call('use', 'test', db);
    const results = await client.call('query', definitions);
    expect(results).toEqual((results as object[]).map(() => expect.objectContaining({ status: 'OK' })));
    client.close();
  }

  optionsFor(db: string): TypesOptions {
    const { url: endpoint } = this.server;
    return { endpoint, user: ROOT.username, pass: ROOT.password, authLevel: 'root', ns: 'test', db };
  }

  async of(db: string, definitions: string, options: Partial<TypesOptions> = {}): Promise<string> {
    await this.define(db, definitions);
    const output = new PassThrough();
    await runTypes({ ...this.optionsFor(db), ...options }, output);
    output.end();
    return String(output.read() ?? '');
  }

  /**
   * Whether the compiler takes `program` beside the types, and refuses each line below a comment `// Wrong: …`.
   * @throws what it says otherwise
   */
  compile(types: string, program = ''): void {
    const { folder } = this;
    writeFileSync(join(folder, 'types.ts'), types);
    writeFileSync(join(folder, 'program.ts'), `${program.replaceAll('// Wrong:', REFUSED)}\nexport {};\n`);
    const compilerOptions = {
      target: 'ES2023',
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      lib: ['ES2023', 'DOM'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUnusedLocals: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['types.ts', 'program.ts'] }),
    );
    try {
      execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout);
    }
  }
}
