/** A result that is kept right, for all who follow it: one evaluation serves them all. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { type DatabasePath, userKey } from '../../catalog/principal.js';
import type { Execution, LiveListener, LiveResultRequest, ResultSubscription } from '../../runtime/execution.js';
import type { Interrupt } from '../../runtime/interrupt.js';
import type { Notification } from '../../runtime/notification.js';
import type { ReadParts, Versionstamp } from '../../storage/contract.js';
import type { Uuid, Value } from '../../value/value.js';
import { NO_DEPENDENCIES } from './dependency-index.js';
import { differences, type ResultDifference } from './differences.js';

/** A result, right at a versionstamp. */
export interface ResultVersion {
  readonly stamp: Versionstamp;
  readonly value: Value;
  /** Bytes of memory that it takes. */
  readonly weight: number;
  /** When this process learned that the one before was no longer right, on the monotonic clock. */
  readonly since: number;
}

export class SharedResult {
  readonly followers = new Set<FollowedResult>();
  /** Of the last evaluation. */
  latest: ResultVersion | undefined;
  dependencies: ReadParts = NO_DEPENDENCIES;
  /** Whether it waits to be evaluated. */
  isQueued = false;
  stopTimer: (() => void) | undefined;
  /** What was asked for last: most followers come from the same version. */
  #known: (VersionPair & { readonly differences: Promise<readonly ResultDifference[]> }) | undefined;

  /** `key`: by which those who ask for the same find it; absent where only one may. */
  constructor(
    readonly request: LiveResultRequest,
    readonly key: string | undefined,
    /** Rises with each. */
    readonly serial: number,
    /** The session in whose turn it is evaluated, always, so that it never is twice at once. */
    readonly turn: LiveListener,
  ) {}

  /** What leads from one version to another. */
  differences(from: ResultVersion, to: ResultVersion, work: Work): Promise<readonly ResultDifference[]> {
    if (this.#known?.from !== from || this.#known.to !== to) {
      this.#known = { from, to, differences: differences(from.value, to.value, this.request, work) };
    }
    return this.#known.differences;
  }
}

interface VersionPair {
  readonly from: ResultVersion;
  readonly to: ResultVersion;
}

/** Versions that a client may have got before its connection was lost. */
const MOST_SENT = 4;

/** The result of a LIVE QUERY as one session follows it. */
export class FollowedResult implements ResultSubscription {
  readonly kind = 'result';
  /** The one that it follows, once it has begun. */
  shared: SharedResult | undefined;
  /** What the client has got, or is getting. */
  version: ResultVersion;
  weight: number;
  isAnnounced = false;
  /** With SINCE: the last versions that the client may have, by the stamps that it knows. */
  readonly sent: { readonly stamp: Versionstamp; readonly version: ResultVersion }[] = [];

  /** `key`: the result and whose it is, by which the client finds it again; absent where it can't. */
  constructor(
    readonly id: Uuid,
    readonly key: string | undefined,
    readonly databasePath: DatabasePath,
    readonly listener: LiveListener,
    readonly request: LiveResultRequest,
    version: ResultVersion,
  ) {
    this.version = version;
    this.#sent(version);
    this.weight = this.weightNow;
  }

  get since(): number {
    return this.version.since;
  }

  get weightNow(): number {
    const others = this.sent.filter(({ version }) => version !== this.version);
    return others.reduce((sum, { version }) => sum + version.weight, this.request.weight + this.version.weight);
  }

  #sent(version: ResultVersion): void {
    if (this.request.since === undefined) return;
    this.sent.push({ stamp: version.stamp, version });
    if (this.sent.length > MOST_SENT) this.sent.shift();
  }

  /** Differences of one evaluation name the former versionstamp until the last of them, so that none is missed. */
  async deliver(interrupt: Interrupt, send: (notification: Notification) => PromiseOrValue<boolean>): Promise<void> {
    const { shared, version: before } = this;
    const latest = shared?.latest;
    if (shared === undefined || latest === undefined || latest === before) return;
    // From now on others compare with this one.
    this.version = latest;
    const all = await shared.differences(before, latest, interrupt);
    const known = this.sent.at(-1)?.stamp;
    for (const [at, difference] of all.entries()) {
      const versionstamp = at === all.length - 1 ? latest.stamp : known;
      const resumable = known !== undefined && { versionstamp };
      if (!(await send({ id: this.id, ...difference, ...resumable }))) return;
      await interrupt.checkpoint();
    }
    // A client that got nothing doesn't know the stamp.
    if (all.length > 0) this.#sent(latest);
  }
}

/** By which a user finds again what a request has shown to them. Guests are alike, unless it has asked who they are. */
export function keyOfUser(
  execution: Execution,
  request: LiveResultRequest,
  asksForReader: boolean,
): string | undefined {
  const { principal } = execution.identity;
  const key = sharingKey(execution, request);
  if (principal.kind === 'guest') return asksForReader ? undefined : key;
  return `${key} ${JSON.stringify([userKey(principal), principal.incarnation])}`;
}

/**
 * By which those share a result who may see the same of everything, as long as nothing asks who they are: one text in
 * one database, with the same rights.
 */
export function sharingKey({ identity, checks }: Execution, { text }: LiveResultRequest): string {
  const { principal, databasePath } = identity;
  const rights =
    principal.kind === 'system' ? [principal.level, principal.namespace, principal.database, principal.roles] : [];
  return JSON.stringify([databasePath.namespace, databasePath.database, principal.kind, checks, rights, text]);
}
