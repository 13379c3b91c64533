/** `v <|3,40|> $point`: the records of an HNSW index, nearest first. */
import { andThen } from '../../../base/promise-or-value.js';
import { indexPrefix } from '../../../catalog/keys/store-keys.js';
import { components, graphOptions, type HnswKind, packComponents } from '../../../index/vectors.js';
import type { KnnScan } from '../../../plan/nodes.js';
import type { Compiler } from '../../../runtime/frame.js';
import { unpackVector } from '../../../vectors/vector-type.js';
import { GraphNeighbours } from '../../nearest/graph-neighbours.js';
import { ListedNeighbours } from '../../nearest/listed-neighbours.js';
import { MeasuredNeighbours } from '../../nearest/measured-neighbours.js';
import type { VectorSearch } from '../../nearest/vector-search.js';
import { compileFewListed } from './few-listed.js';
import type { Narrow } from './narrow.js';
import { compileVector } from './vector-operand.js';

/** Nearest first, batch by batch, until enough meet the other conditions and PERMISSIONS. */
export function narrowByNearest({ index, vector, k, ef, within }: KnnScan, compiler: Compiler): Narrow {
  const operand = compileVector(vector, compiler);
  const { dimension, type } = index.indexKind as HnswKind;
  const options = graphOptions(index);
  const listed = within && compileFewListed(within, compiler);
  return (frame, catalog, entry) =>
    andThen(operand(frame), (value) => {
      const { execution } = frame;
      // It is rounded as those that are stored were.
      const point = unpackVector(packComponents(components(value, dimension), type), type);
      const prefix = indexPrefix(catalog.database.id, entry.definition.id, index.id);
      const search: VectorSearch = { point, index: prefix, type, options, k, ef: Math.max(k, ef, 1) };
      const exactly = (first: number) => new MeasuredNeighbours(execution, search, first);
      return andThen(listed?.(frame, catalog, entry), (keys) => ({
        kind: 'candidates',
        candidates:
          keys === undefined
            ? new GraphNeighbours(execution, search, exactly)
            : new ListedNeighbours(execution, search, keys),
      }));
    });
}
