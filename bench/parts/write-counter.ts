/** Counts the writes to a database, no matter which process makes them. */
export interface WriteCounter extends AsyncDisposable {
  /** The number of rows in all tables. */
  rows(): Promise<number>
  /** The number of commits with changes since the count started. */
  commits(): Promise<number>
}
