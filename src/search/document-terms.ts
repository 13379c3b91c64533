/** The terms of a document, and how often each occurs. */
export interface DocumentTerms {
  /** How many there are, repeated ones too. */
  readonly length: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** A term as a document in the making counts it: one for each term, as long as the analyzer remembers it. */
export interface TermCell {
  readonly term: string;
  /** The document that has counted it last, and how often. */
  document: number;
  count: number;
  /** Who gathers documents, and the number that it gave to the term. */
  owner: object | undefined;
  id: number;
}

/** The same as `DocumentTerms` until the analyzer counts the next document. */
export interface CountedTerms {
  readonly length: number;
  readonly cells: readonly TermCell[];
}

/** Counted terms to keep. */
export function keptTerms({ length, cells }: CountedTerms): DocumentTerms {
  const counts = new Map<string, number>();
  for (const { term, count } of cells) counts.set(term, count);
  return { length, counts };
}
