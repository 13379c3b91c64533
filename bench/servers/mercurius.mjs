// A GraphQL server of another make, which has its rows in memory and resolvers written by hand. `jit` compiles queries that come again.
import fastify from 'fastify';
import mercurius from 'mercurius';
import { LIBRARY } from '../data/graph.mjs';

const link = (table, id) => `${table}:${id}`;
const rowsOf = (table) =>
  LIBRARY.tables[table].rows(LIBRARY.most, link).map((row) => ({ ...row, id: link(table, row.id) }));
const books = rowsOf('book');
const authors = new Map(rowsOf('author').map((author) => [author.id, author]));
const app = fastify();
app.register(mercurius, {
  jit: process.argv.includes('jit') ? 1 : 0,
  schema: `
    type Query { book(limit: Int): [Book!] }
    type Book { id: ID!, title: String!, pages: Int!, author: Author }
    type Author { id: ID!, name: String! }`,
  resolvers: {
    Query: { book: (_, { limit }) => books.slice(0, limit) },
    Book: { author: (book) => authors.get(book.author) },
  },
});
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
