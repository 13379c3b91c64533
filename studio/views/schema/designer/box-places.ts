/** Where boxes of the picture stand that were moved by hand. The browser keeps it for each database. */
import { KeptStores } from '../../../base/kept.js';
import type { Store } from '../../../base/store.js';
import type { Point } from './layout.js';

/** By the names of their tables. */
export type BoxPlaces = ReadonlyMap<string, Point>;

interface Database {
  readonly namespace: string;
  readonly database: string;
}

const stores = new KeptStores<BoxPlaces>(
  'boxes',
  (entries) => new Map(entries.flatMap(readPlace)),
  (places) => [...places].map(([table, { x, y }]) => ({ table, x, y })),
);

export function boxPlaces({ namespace, database }: Database): Store<BoxPlaces> {
  return stores.of(namespace, database);
}

function readPlace(entry: unknown): [string, Point][] {
  const { table, x, y } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  return typeof table === 'string' && isCoordinate(x) && isCoordinate(y) ? [[table, { x, y }]] : [];
}

/** In pixels: a picture that is larger is none that was made by hand. */
const LARGEST = 20_000;

function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LARGEST;
}
