/** Evaluates texts in an execution over a handful of records that are kept in a map. */

import { mapInOrder, type PromiseOrValue } from '../../src/base/promise-or-value.js';
import type { DatabaseCatalog } from '../../src/catalog/definitions/database-catalog.js';
import { CatalogCache } from '../../src/catalog/definitions/load.js';
import { NO_REQUEST_RATES } from '../../src/catalog/limits/request-rates.js';
import { Outbox } from '../../src/catalog/mail/outbox.js';
import { realEnvironment } from '../../src/env/real.js';
import { Fetcher } from '../../src/functions/network/fetcher.js';
import { NO_TARGETS } from '../../src/functions/network/targets.js';
import { ResidentGraphs } from '../../src/index/hnsw/resident-graphs.js';
import { parseQuery, parseValue } from '../../src/language/parse.js';
import type { Execution, Services } from '../../src/runtime/execution.js';
import { Frame } from '../../src/runtime/frame.js';
import type { EdgeStep, Referent, Referrer, ReferrerSubject } from '../../src/runtime/links.js';
import { QueryTimeout } from '../../src/runtime/query-timeout.js';
import { RevocationFlag } from '../../src/runtime/revocation-flag.js';
import { Scope } from '../../src/runtime/scope.js';
import { Variants } from '../../src/runtime/variants.js';
import { ServerMemory } from '../../src/session/resources/server-memory.js';
import { InMemorySessionRegistry } from '../../src/session/resources/session-registry.js';
import { createCompiler } from '../../src/statements/compiler.js';
import { LiveQueries } from '../../src/statements/live/live-queries.js';
import { contains } from '../../src/value/membership.js';
import { compare, equals } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { isObject, newObject, type ObjectValue, RecordId, type Value } from '../../src/value/value.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';

export interface World {
  /** Objects with an `id`, written out. */
  readonly records?: readonly string[];
  readonly catalog?: Partial<DatabaseCatalog>;
  readonly overrides?: Partial<Omit<Execution, 'services'>> & { readonly services?: Partial<Services> };
  /** Ids of records that the principal may not see. */
  readonly hidden?: readonly string[];
  /** Reads answer later, as those of a remote store do. */
  readonly slow?: boolean;
}

const DIRECTIONS = { out: ['in'], in: ['out'], both: ['out', 'in'], reference: [] } as const;

export class Store {
  readonly #records = new Map<string, ObjectValue>();
  /** How often a record was read. */
  reads = 0;

  constructor(
    texts: readonly string[] = [],
    private readonly slow = false,
    private readonly hidden: readonly string[] = [],
  ) {
    for (const text of texts) {
      const record = parseValue(text);
      if (!isObject(record)) throw new TypeError(`not a record: ${text}`);
      this.#records.set(toText(record['id']), record);
    }
  }

  read(id: RecordId): PromiseOrValue<ObjectValue | undefined> {
    this.reads++;
    const text = toText(id);
    const record = this.hidden.includes(text) ? undefined : this.#records.get(text);
    return this.slow ? Promise.resolve(record) : record;
  }

  edges(id: RecordId, { direction, tables }: EdgeStep): PromiseOrValue<RecordId[]> {
    const records = [...this.#records.values()];
    const found = DIRECTIONS[direction].flatMap((end) =>
      records.filter((record) => isEdge(record) && equals(record[end], id)),
    );
    const ids = found
      .map((record) => record['id'] as RecordId)
      .filter(({ table }) => tables.length === 0 || tables.includes(table));
    const order = (each: RecordId) => tables.indexOf(each.table);
    ids.sort((a, b) => (direction === 'both' ? 0 : order(a) - order(b) || compare(a, b)));
    return this.slow ? Promise.resolve(ids) : ids;
  }

  referrers(to: Referent, subjects: readonly ReferrerSubject[]): PromiseOrValue<Referrer[]> {
    const all = [...this.#records.values()].flatMap((record) =>
      Object.keys(record)
        .filter((field) => field !== 'id' && pointsTo(record[field], to))
        .map((field) => ({ id: record['id'] as RecordId, field })),
    );
    const found = all.filter(
      ({ id, field }) =>
        subjects.length === 0 ||
        subjects.some((subject) => subject.table === id.table && (subject.field ?? field) === field),
    );
    return this.slow ? Promise.resolve(found) : found;
  }
}

function isEdge(record: ObjectValue): boolean {
  return record['in'] instanceof RecordId && record['out'] instanceof RecordId;
}

function pointsTo(value: Value, id: Referent): boolean {
  return equals(value, id) || contains(value, id);
}

export function executionOver(world: World, store: Store): Execution {
  const missing = (): never => {
    throw new Error('the harness has no such thing');
  };
  const interrupt = {
    checkpoint: () => undefined,
    check: () => undefined,
    within: () => interrupt,
    onEnd: () => () => undefined,
  };
  const { overrides } = world;
  return {
    context: {
      transaction: undefined as never,
      catalog: () => (world.catalog === undefined ? undefined : (world.catalog as DatabaseCatalog)),
      catalogChanged: missing,
      catalogs: new CatalogCache(),
      answersLater: false,
      likelyCatalog: () => undefined,
      prefetch: () => undefined,
    },
    request: {
      literals: [],
      memory: new ServerMemory(realEnvironment, { ownsRows: false }).background(),
      listener: undefined,
      auditRecorder: undefined,
      sent: undefined,
      entrance: undefined,
      eventDepth: 0,
      sleepNeedsRole: true,
      strict: false,
      isKeptRight: false,
    },
    identity: {
      principal: { kind: 'guest' },
      databasePath: { namespace: 'test', database: 'test' },
      session: newObject(),
      token: undefined,
      auth: undefined,
      access: undefined,
    },
    checks: { view: false, edit: false },
    interrupt,
    depth: 0,
    importing: false,
    judging: false,
    writable: true,
    variants: new Variants(),
    ...overrides,
    services: {
      environment: realEnvironment,
      passwords: { hash: missing, verify: missing },
      passwordStrength: { estimate: missing },
      limits: { take: () => undefined },
      rates: NO_REQUEST_RATES,
      network: new Fetcher(realEnvironment, NO_TARGETS),
      functions: undefined,
      scripts: undefined,
      sequences: { next: missing },
      sequenceRights: { assertMayDraw: () => undefined },
      apis: { invoke: missing },
      files: { of: missing, assertUsable: missing },
      analyzers: { named: missing, prepare: missing, sharesStatistics: false },
      reader: {
        judge: () => ({ admitted: true, hidden: [] }),
        holds: () => true,
        read: (_, id) => store.read(id),
        readMany: (_, ids) => mapInOrder(ids, (id) => store.read(id)),
        scan: missing,
        present: missing,
        presentsAlike: missing,
        storedRange: missing,
        mayHide: missing,
        edges: (_, id, step) => store.edges(id, step),
        ends: () => undefined,
        referrers: (_, id, subjects) => store.referrers(id, subjects),
      },
      writer: { create: missing, update: missing, delete: missing, deleteMany: missing, put: missing, exists: missing },
      references: { check: missing, settle: missing, follow: missing },
      liveQueries: new LiveQueries(realEnvironment.timers),
      liveResults: {
        size: 0,
        get: missing,
        begin: missing,
        start: missing,
        dependenciesOf: missing,
        end: missing,
        endElsewhere: missing,
      },
      packedVectors: new PackedCache(0),
      graphs: new ResidentGraphs(new PackedCache(0)),
      past: { emptyBefore: undefined, unchangedSince: () => undefined },
      sessions: new InMemorySessionRegistry(undefined),
      queryTimeout: new QueryTimeout(),
      revocationFlag: new RevocationFlag(),
      weakKeys: false,
      queuedEvents: { isListed: missing, committed: missing },
      outbox: new Outbox(realEnvironment, undefined, missing),
      providers: { faultOf: missing },
      metrics: undefined,
      nodes: { list: missing },
      inspection: { signInFailures: { list: missing }, auditTrail: undefined },
      publicUrls: [],
      indexWorkQueued: missing,
      ...overrides?.services,
    },
  };
}

const compiler = createCompiler();

/** Runs the statements of a text one after the other, in one scope; gives the value of the last one. */
export async function evaluate(text: string, world: World = {}, current?: Value): Promise<Value> {
  const execution = executionOver(world, new Store(world.records, world.slow, world.hidden));
  const frame = new Frame(execution, new Scope(), current);
  let value: Value;
  for (const statement of parseQuery(text).statements) value = await compiler.statement(statement)(frame);
  return value;
}

/** The outcome as text: the value, or `ERR` and the message. */
export async function outcome(text: string, world: World = {}, current?: Value): Promise<string> {
  try {
    return toText(await evaluate(text, world, current));
  } catch (error) {
    if (error instanceof Error && error.name !== 'TesseraError') throw error;
    return `ERR ${(error as Error).message}`;
  }
}

/** People who know each other, places that contain each other, a graph with a circle, and a pair that points at each other. */
export const RECORDS = [
  `{id: person:1, name:'a', n:1, friend:person:2, tags:['x','y'], nested:{link:person:2, list:[person:1,person:2]}, fr:[person:2,person:3]}`,
  `{id: person:2, name:'b', n:2, friend:person:3, links:[person:1,person:9]}`,
  `{id: person:3, name:'c', n:3}`,
  `{id: person:4, name:'d', n:4}`,
  `{id: knows:1, in: person:1, out: person:2, w: 1}`,
  `{id: knows:2, in: person:1, out: person:3, w: 2}`,
  `{id: knows:3, in: person:2, out: person:3, w: 3}`,
  `{id: knows:4, in: person:3, out: person:4, w: 4}`,
  `{id: likes:1, in: person:1, out: person:4, w: 9}`,
  `{id: planet:earth, name:'Earth', contains:[country:us,country:ca]}`,
  `{id: country:us, name:'US', contains:[state:ca,state:tx]}`,
  `{id: country:ca, name:'Canada', contains:[state:on]}`,
  `{id: state:ca, name:'California', contains:[city:la]}`,
  `{id: state:tx, name:'Texas', contains:[]}`,
  `{id: state:on, name:'Ontario'}`,
  `{id: city:la, name:'LA'}`,
  `{id: t:1, n:1, next:t:2}`,
  `{id: t:2, n:2, next:t:3}`,
  `{id: t:3, n:3, next:t:4}`,
  `{id: t:4, n:4}`,
  `{id: c:1, next:c:2}`,
  `{id: c:2, next:c:1}`,
  `{id: e:1, in:t:1, out:t:2}`,
  `{id: e:2, in:t:1, out:t:3}`,
  `{id: e:3, in:t:2, out:t:4}`,
  `{id: e:4, in:t:4, out:t:1}`,
];
