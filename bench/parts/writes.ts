/** Writes to a database by anyone. */
export interface Writes extends AsyncDisposable {
  /** The number of rows in all tables. */
  rows(): Promise<number>
  /** The number of commits with changes since the count started. */
  commits(): Promise<number>
}
