import type { Stored } from '../contract.js';
import type { OrderedTree } from '../tree/ordered-tree.js';

/** Marks a deleted key. */
export const DELETED: unique symbol = Symbol('deleted');

/** What a transaction may have written under a key. */
export type OverlayValue = Stored | typeof DELETED;

/** Written values by their keys. */
export type Overlay = OrderedTree<OverlayValue>;
