const EDGES = 8;
const name = (id) => `person ${id}`;

/** The eight others that a person knows, drawn from all. */
export const knownBy = (id, people) => Array.from({ length: EDGES }, (_, n) => (id * 31 + n * n * 17 + 1) % people);

/** People who know eight others each. @type {import('../harness/contract.mjs').Dataset} */
export const GRAPH = {
  name: 'graph',
  most: 2_000,
  tables: {
    person: {
      columns: ['name'],
      rows: (people) => Array.from({ length: people }, (_, id) => ({ id, name: name(id) })),
    },
    knows: {
      columns: ['in', 'out'],
      indexes: [],
      relates: 'person',
      rows: (people, record) =>
        Array.from({ length: people }, (_, id) =>
          knownBy(id, people).map((out, n) => ({
            id: id * EDGES + n,
            in: record('person', id),
            out: record('person', out),
          })),
        ).flat(),
    },
  },
};

/** Books, each with a link to its author. @type {import('../harness/contract.mjs').Dataset} */
export const LIBRARY = {
  name: 'library',
  most: 1_000,
  tables: {
    author: {
      columns: ['name'],
      rows: () => Array.from({ length: 20 }, (_, id) => ({ id, name: `author ${id}` })),
    },
    book: {
      columns: ['title', 'pages', 'author'],
      rows: (count, record) =>
        Array.from({ length: count }, (_, id) => ({
          id,
          title: `book ${id}`,
          pages: 100 + ((id * 37) % 400),
          author: record('author', id % 20),
        })),
    },
  },
  surrealql: `
    DEFINE FIELD name ON author TYPE string;
    DEFINE FIELD title ON book TYPE string; DEFINE FIELD pages ON book TYPE int; DEFINE FIELD author ON book TYPE record<author>`,
};
