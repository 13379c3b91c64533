/** What the states of an index mean for queries, writers and INFO. */
import type { TableEntry } from './database-catalog.js';
import type { IndexDefinition, IndexState } from './definition.js';

interface StateMeaning {
  /** Queries may use it, and uniqueness is enforced by it. */
  readonly answers: boolean;
  /** Writers keep its entries. */
  readonly isMaintained: boolean;
  /** It is the current definition of its name. */
  readonly isShown: boolean;
}

export const INDEX_STATES: { readonly [State in IndexState | 'ready']: StateMeaning } = {
  ready: { answers: true, isMaintained: true, isShown: true },
  building: { answers: false, isMaintained: true, isShown: true },
  failed: { answers: false, isMaintained: false, isShown: true },
  replaced: { answers: true, isMaintained: true, isShown: false },
  withdrawn: { answers: false, isMaintained: false, isShown: true },
};

/** The state of an index. Only states other than `ready` are stored. */
export function stateOf({ state }: IndexDefinition): IndexState | 'ready' {
  return state ?? 'ready';
}

/** The indexes of a table by their use. Most tables have only ready ones. */
export function indexesByUse(
  all: readonly IndexDefinition[],
): Pick<TableEntry, 'indexes' | 'answering' | 'maintained'> {
  if (all.every(({ state }) => state === undefined)) return { indexes: all, answering: all, maintained: all };
  return {
    indexes: all.filter((index) => INDEX_STATES[stateOf(index)].isShown),
    answering: all.filter((index) => INDEX_STATES[stateOf(index)].answers),
    maintained: all.filter((index) => INDEX_STATES[stateOf(index)].isMaintained),
  };
}

/** Indexes that are used until the new ones of their names are built. */
export function replacedIndexes({ indexes, answering }: TableEntry): readonly IndexDefinition[] {
  return indexes === answering ? [] : answering.filter((index) => stateOf(index) === 'replaced');
}
