// What every system holds: users, tags, and notes of which each user sees and changes only the own ones. The same in each run.

export const USERS = 200;
export const NOTES = 20_000;
export const TAGS = 50;
/** Notes that a list has. */
export const PAGE = 20;
const EACH = NOTES / USERS;
const BEGAN = Date.UTC(2026, 0, 1);

export const userName = (user) => `user ${user}`;
export const tagName = (tag) => `tag ${tag}`;

/** The note of a number, from 0. A user has every 200th of them, and three quarters of these aren't done. */
export function note(number) {
  return {
    number,
    owner: number % USERS,
    title: `Title ${number}`,
    body: `Note ${number}. ${'Some words, as people write them down to find them again. '.repeat(4)}`,
    done: Math.floor(number / USERS) % 4 === 0,
    created: new Date(BEGAN + number * 1_000).toISOString(),
    tags: [number % TAGS, (number * 7 + 1) % TAGS],
  };
}

export const notes = () => Array.from({ length: NOTES }, (_, number) => note(number));

/** Whose turn the n-th request is, so that requests in a row come from different users. */
export const userOf = (n) => n % USERS;

/** A note of that user; which one, differs from request to request. */
export const ownNote = (n) => note(userOf(n) + USERS * ((n * 37 + Math.floor(n / USERS)) % EACH));

/** The newest of a user's notes that aren't done. Notes that are made while it is measured are done, so this stays the same. */
export const newestOf = (user) =>
  Array.from({ length: EACH }, (_, at) => note(user + USERS * (EACH - 1 - at)))
    .filter(({ done }) => !done)
    .slice(0, PAGE);

/** A note that a user makes while it is measured. */
export const newNote = (n) => ({ ...note(n), title: `New ${n}`, done: true, created: new Date().toISOString() });
export const newTitle = (n) => `Changed ${n}`;
