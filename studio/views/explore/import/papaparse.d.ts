/** What is used of Papa Parse. Its types in the registry bring those of Node along, which a page hasn't. */
declare module 'papaparse' {
  interface Parsed {
    readonly data: readonly (readonly string[])[];
    readonly errors: readonly { readonly message: string; readonly row?: number }[];
  }
  interface Options {
    /** Empty: found in the text. */
    readonly delimiter: string;
  }
  const papa: {
    parse(text: string, options: Options): Parsed;
    /** With CRLF between the lines. */
    unparse(rows: readonly (readonly string[])[]): string;
  };
  export = papa;
}
