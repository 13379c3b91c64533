/** Attacks on what isn't built yet, by their numbers. When it is built, the line becomes a test. */
export const PENDING: Readonly<Record<number, string>> = {
  10: 'MCP sessions bound to an access name: there is no MCP',
  54: 'malformed headers of uploaded models: there is no import of models',
  55: 'output of modules that fills the memory: there are no modules',
};
