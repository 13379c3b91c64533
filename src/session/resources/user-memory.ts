/** Bounds what one record user holds over all connections. */
import { MemoryScope } from '../../base/work/memory-scope.js';
import { type Principal, userKey } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';

interface UserBudget {
  readonly budget: MemoryScope;
  /** Connections and answers that are charged to it. */
  connections: number;
}

/**
 * What the connections of one record user may hold together, with the answers that wait to be read: anyone may sign up,
 * and connect again and again.
 */
export class UserMemory {
  readonly #limit: number;
  readonly #users = new Map<string, UserBudget>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Charges a connection to the user of a session of it; to no one if that is no record user. */
  assign(connection: MemoryScope, former: string | undefined, principal: Principal): string | undefined {
    const key = principal.kind === 'record' ? userKey(principal) : undefined;
    if (key === former) return key;
    const user = key === undefined ? undefined : this.#userOf(key);
    if (user !== undefined) user.connections++;
    connection.owner = user?.budget;
    if (former !== undefined) this.#leave(former);
    return key;
  }

  /** Ends what `assign` began; `user` is its answer. */
  release(connection: MemoryScope, user: string | undefined): void {
    connection.owner = undefined;
    if (user !== undefined) this.#leave(user);
  }

  #userOf(key: string): UserBudget {
    let user = this.#users.get(key);
    if (user === undefined) {
      const budget = new MemoryScope(this.#limit, (limit) => failure('user_memory_exceeded', { limit }));
      user = { budget, connections: 0 };
      this.#users.set(key, user);
    }
    return user;
  }

  #leave(key: string): void {
    const user = this.#users.get(key);
    if (user !== undefined && --user.connections === 0) this.#users.delete(key);
  }
}
