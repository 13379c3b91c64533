/** Bounds of the engine on disk, apart from it so that reading settings doesn't load it. */

/** Bytes of the longest key that LMDB can hold in a page of 4096 bytes. */
export const MAX_KEY_LENGTH = 1978;

/** A data file of so many bytes or fewer is read wholly when it is opened, and verified. */
export const DEFAULT_VERIFY_UP_TO = 64 << 20;

/** How many processes may share a folder: each needs its part of LMDB's readers. */
export const MAX_WORKERS = 32;
