/** A text of statements in the files of an app. */
export interface QuerySource {
  readonly file: string;
  /**
   * The statements, at the place where they stand in the file: what stands around them is blank, so that positions in
   * errors are those in the file.
   */
  readonly text: string;
  /** The name by which its types are asked for; without one it is checked alone. */
  readonly name?: string;
  /** The names of the parameters in place of the values of a template, in order; of a file there are none. */
  readonly values?: readonly string[];
}
