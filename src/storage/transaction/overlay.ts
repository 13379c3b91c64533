/** The type of uncommitted and unwritten changes, in which a deletion is an entry like a value. */
import type { Stored } from '../contract.js';
import type { OrderedTree } from '../tree/ordered-tree.js';

/** Marks a deleted key. */
export const DELETED: unique symbol = Symbol('deleted');

/** A written value, or a deletion. */
export type OverlayValue = Stored | typeof DELETED;

/** Written values by their keys. */
export type Overlay = OrderedTree<OverlayValue>;
