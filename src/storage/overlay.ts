import type { Stored } from './contract.js';
import type { OrderedTree } from './ordered-tree.js';

/** Stands for the deletion of a key. */
export const DELETED: unique symbol = Symbol('deleted');

/** What a transaction may have written under a key. */
export type Written = Stored | typeof DELETED;

/** What a transaction has written so far. */
export type Overlay = OrderedTree<Written>;
