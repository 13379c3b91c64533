// The rows that are asked for: books, each with a link to one of a few authors.
export const AUTHORS = Array.from({ length: 20 }, (_, n) => ({ id: `author:${n}`, name: `Author ${n}` }));
export const BOOKS = Array.from({ length: 1000 }, (_, n) => ({
  id: `book:${n}`,
  title: `Book ${n}`,
  pages: n,
  author: `author:${n % AUTHORS.length}`,
}));
