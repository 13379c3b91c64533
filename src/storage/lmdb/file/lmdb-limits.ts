/** Bounds of the engine on disk, in a separate file so that reading settings doesn't load the engine. */

/** Bytes of the longest key that LMDB can hold in a page of 4096 bytes. */
export const MAX_KEY_LENGTH = 1978;

/** A data file up to this size in bytes is read completely when it is opened, and verified. */
export const DEFAULT_VERIFY_UP_TO = 64 << 20;

/** Maximum number of processes that share a folder: each needs its part of LMDB's readers. */
export const MAX_WORKERS = 32;
