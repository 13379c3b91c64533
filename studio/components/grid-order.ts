/** How the rows of a grid are ordered. */
export interface Order {
  readonly field: string;
  readonly descending: boolean;
}
