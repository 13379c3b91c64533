// etcd, three PostgreSQL under Patroni, HAProxy before their primary, and Tessera nodes, in a folder that is removed at the end.
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, Processes, postgresPrograms, serviceUser } from '../three-nodes/processes.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));

export class Cluster {
  #processes = new Processes();
  #members = [];
  #port = 0;

  /** Waits until there is a primary with a synchronous standby. */
  async start({ ttl }) {
    const folder = this.#processes.folder;
    const [etcd, peer] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${etcd}`;
    const peerUrl = `http://127.0.0.1:${peer}`;
    this.#processes.start('etcd', [
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', url, '--advertise-client-urls', url],
      ...[
        '--listen-peer-urls',
        peerUrl,
        '--initial-advertise-peer-urls',
        peerUrl,
        '--initial-cluster',
        `default=${peerUrl}`,
      ],
    ]);
    await this.#processes.until('etcd', () => answers(`${url}/health`));
    for (const name of ['one', 'two', 'three']) {
      const member = { name, postgres: await freePort(), patroni: await freePort(), data: join(folder, name) };
      mkdirSync(member.data, { mode: 0o700 });
      const { uid, gid } = serviceUser();
      if (uid !== undefined) chownSync(member.data, uid, gid);
      const file = join(folder, `${name}.yml`);
      writeFileSync(file, configuration(member, etcd, ttl));
      member.running = this.#processes.start('patroni', [file], { ...serviceUser(), cwd: member.data });
      this.#members.push(member);
    }
    await this.#processes.until('a primary with a synchronous standby', async () =>
      (await this.#roles()).includes('sync_standby'),
    );
    this.#port = await freePort();
    const env = { ...process.env, PORT: this.#port };
    for (const [at, { postgres, patroni }] of this.#members.entries()) {
      env[`POSTGRES_${at + 1}`] = postgres;
      env[`PATRONI_${at + 1}`] = patroni;
    }
    this.#processes.start('/usr/sbin/haproxy', ['-f', join(HERE, 'haproxy.cfg'), '-db'], { env });
    await this.#processes.until('the way to the primary', () => this.isWritable());
  }

  /** The URL of a new node. */
  async node({ user, pass }) {
    const store = `postgres://postgres@127.0.0.1:${this.#port}/postgres?commit_timeout=5&connect_timeout=2`;
    return (await this.#processes.node(store, await freePort(), { username: user, password: pass })).url;
  }

  async leader() {
    for (const member of this.#members) if (await answers(`http://127.0.0.1:${member.patroni}/primary`)) return member;
    return undefined;
  }

  /** Whether connections to the primary are accepted by HAProxy and PostgreSQL. */
  isWritable() {
    return new Promise((resolve) => {
      const socket = createConnection(this.#port, '127.0.0.1');
      socket.setTimeout(1_000, () => socket.destroy());
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      // A request for TLS, which PostgreSQL answers with one byte.
      socket.once('connect', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
      socket.once('data', () => {
        resolve(true);
        socket.destroy();
      });
    });
  }

  /** Its name. */
  async killPrimary() {
    const primary = await this.leader();
    const [pid] = readFileSync(join(primary.data, 'data', 'postmaster.pid'), 'utf8').split('\n');
    // Its supervisor first, which would start it again.
    primary.running.child.kill('SIGKILL');
    process.kill(Number(pid), 'SIGKILL');
    return primary.name;
  }

  end() {
    // Patroni ends the PostgreSQL that it has started.
    return this.#processes.end();
  }

  async #roles() {
    const [member] = this.#members;
    const response = await fetch(`http://127.0.0.1:${member.patroni}/cluster`).catch(() => undefined);
    const { members = [] } = response?.ok ? await response.json() : {};
    return members.filter(({ state }) => state === 'running' || state === 'streaming').map(({ role }) => role);
  }
}

/** In JSON, which is YAML. */
function configuration({ name, postgres, patroni, data }, etcd, ttl) {
  const wait = Math.floor(ttl / 4);
  return JSON.stringify({
    scope: 'tessera',
    name,
    restapi: { listen: `127.0.0.1:${patroni}`, connect_address: `127.0.0.1:${patroni}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ttl,
        loop_wait: wait,
        retry_timeout: wait,
        // Nothing is acknowledged that isn't on two servers, even if the last standby is gone.
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${postgres}`,
      connect_address: `127.0.0.1:${postgres}`,
      data_dir: join(data, 'data'),
      bin_dir: postgresPrograms(),
      pgpass: join(data, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      parameters: { unix_socket_directories: '' },
    },
  });
}

async function answers(url) {
  const response = await fetch(url).catch(() => undefined);
  return response?.ok === true;
}
