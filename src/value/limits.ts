/** Limits of values, beyond any legitimate use. */

/** How deep values may be nested wherever one is followed down: compared, printed, encoded, read. */
export const MAX_NESTING = 1000;

/**
 * Values within one value from which something is derived. Values are shared: `[$a, $a]`, nested forty times, takes a
 * few hundred bytes and has 2^40 members when it is walked.
 */
export const MAX_NODES = 2 ** 24;

/**
 * So many values become a text at once, for `<string>` and functions that make texts of values: some milliseconds'
 * work.
 */
export const MAX_SHOWN = 2 ** 15;

/** Values visited to compare two, to convert one, or to compute a diff. */
export const MAX_COMPARED = 2 ** 18;

/** Values that a stored record consists of: some hundred milliseconds' work to read, change and write again. */
export const MAX_STORED = 2 ** 18;

/** Characters of a value's text, and bytes of its encoding. */
export const MAX_ENCODED = 2 ** 26;

/** Characters of a text, and elements of a collection, that operators join together. */
export const MAX_JOINED_TEXT = 2 ** 24;
export const MAX_JOINED_ITEMS = 2 ** 18;

/** Elements that operators sort, of which most are in order already. */
export const MAX_SORTED_ITEMS = 2 ** 16;

/** Fields of objects that are put together. */
export const MAX_JOINED_FIELDS = 2 ** 13;

/** Entries of one record in one index: one for each element of an array, and for each pair of elements of two. */
export const MAX_INDEX_ENTRIES = 2 ** 16;

/** Elements that paths are taken into from one document: `$nested.*.*.*`. */
export const MAX_UNFOLDED = 2 ** 21;

/** Pairs compared individually to intersect two lists; beyond them one list is sorted first. */
export const MAX_PAIRS = 2 ** 16;

/** Positions of one geometry, and collections of geometries within each other. */
export const MAX_POSITIONS = 2 ** 20;
export const MAX_COLLECTIONS = 64;
