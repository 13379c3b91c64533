/** The memory that syntax trees take, by the tokens that they were made of. */

export interface TokenCount {
  /** Tokens that aren't part of literal data. */
  readonly code: number;
  readonly data: number;
}

export const NO_TOKENS: TokenCount = { code: 0, data: 0 };

/** Bytes per token, measured with V8 11.3: up to 105 of code, up to 48 of literal data, up to 600 of compiled code. */
const CODE_TOKEN = 112;
const DATA_TOKEN = 48;
const COMPILED_TOKEN = 640;

/** Bytes that trees take. */
export function weightOfTrees({ code, data }: TokenCount): number {
  return code * CODE_TOKEN + data * DATA_TOKEN;
}

/** Bytes that trees take once all of them have run: what was compiled of them is kept in them. */
export function weightOfCompiled({ code, data }: TokenCount): number {
  return code * COMPILED_TOKEN + data * DATA_TOKEN;
}

/** Those that a parser has read up to its place, `from` another place on. */
export function tokensRead({ code, data }: TokenCount, from = NO_TOKENS): TokenCount {
  return { code: code - from.code, data: data - from.data };
}

/** Those of two texts together. */
export function sumOfTokens(a: TokenCount, b: TokenCount): TokenCount {
  return { code: a.code + b.code, data: a.data + b.data };
}
