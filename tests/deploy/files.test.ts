/** The files of `deploy/` and the compose file: they name settings, commands and services that there are. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allCommands, variablesOf } from '../../src/cli/flags.js';
import { createProgram } from '../../src/cli/program.js';
import { ALL_SETTINGS, readConfiguration } from '../../src/server/configuration.js';
import { variableName } from '../../src/server/setting.js';

const VARIABLES = new Set([
  ...ALL_SETTINGS.map(variableName),
  ...allCommands(createProgram({})).flatMap((command) => command.options.flatMap(variablesOf)),
]);

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly build?: string;
  readonly read_only?: boolean;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, unknown>>;
}

const NODES: Readonly<Record<string, readonly string[]>> = {
  'compose.yaml': ['tessera'],
  'deploy/three-nodes/compose.yaml': ['one', 'two', 'three'],
};

describe.each(Object.keys(NODES))('%s', (path) => {
  const { services, volumes, networks } = parse(readFileSync(path, 'utf8'), { merge: true }) as Compose;
  const nodes = (NODES[path] ?? []).map((name) => services[name]).filter((service) => service !== undefined);

  it('has nodes with settings that there are', () => {
    expect(nodes).toHaveLength(NODES[path]?.length ?? 0);
    for (const { command, environment = {}, build = '', read_only } of nodes) {
      const own = Object.keys(environment).filter((name) => name.startsWith('SVC_'));
      expect(own.filter((name) => !VARIABLES.has(name))).toEqual([]);
      const values = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/^\$\{.*?:-(.*)\}$/, '$1'),
      ]);
      const [word, store] = command ?? [];
      expect(word).toBe('start');
      expect(() =>
        readConfiguration(({ flag }) => (flag === '[path]' ? store : undefined), Object.fromEntries(values)),
      ).not.toThrow();
      expect(existsSync(join(dirname(path), build, 'Dockerfile'))).toBe(true);
      expect(read_only).toBe(true);
    }
  });

  it('names files, volumes, networks and services that there are', () => {
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(join(dirname(path), source)), source).toBe(true);
        else expect(Object.keys(volumes ?? {})).toContain(source);
      }
      for (const network of service.networks ?? []) expect(Object.keys(networks ?? {})).toContain(network);
      for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(other);
    }
  });
});

it('HAProxy leads to the services of the compose file', () => {
  const text = readFileSync('deploy/three-nodes/haproxy.cfg', 'utf8');
  const servers = [...text.matchAll(/^ {2}server \w+ (\w+):8000$/gm)].map(([, name]) => name);
  expect(servers).toEqual(NODES['deploy/three-nodes/compose.yaml']);
});

it.runIf(existsSync('/usr/sbin/haproxy'))('HAProxy takes its configuration', () => {
  expect(() =>
    execFileSync('/usr/sbin/haproxy', ['-c', '-f', 'deploy/three-nodes/haproxy.cfg'], { stdio: 'pipe' }),
  ).not.toThrow();
});

it.each(['primary.sh', 'standby.sh'])('the shell takes %s', (name) => {
  expect(spawnSync('sh', ['-n', join('deploy/three-nodes/postgres', name)]).status).toBe(0);
});

describe('the unit of systemd', () => {
  const unit = readFileSync('deploy/systemd/tessera.service', 'utf8');

  it('runs commands and sets variables that there are', () => {
    const names = createProgram({}).commands.map((command) => command.name());
    const commands = [...unit.matchAll(/\/usr\/local\/bin\/tessera (\w+)/g)].map(([, name]) => name);
    expect(commands).toEqual(['start', 'isready']);
    expect(commands.filter((name) => !names.includes(name ?? ''))).toEqual([]);
    const variables = [...unit.matchAll(/^Environment=(SVC_\w+)/gm)].map(([, name]) => name);
    expect(variables).toEqual(['SVC_ENDPOINT', 'SVC_PATH']);
    expect(variables.filter((name) => !VARIABLES.has(name ?? ''))).toEqual([]);
  });

  it('has rights for its data alone', () => {
    for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=']) {
      expect(unit.split('\n')).toContain(line);
    }
  });
});
