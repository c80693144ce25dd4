/** What is written to a database, whoever writes it. */
export interface Writes extends AsyncDisposable {
  /** Rows in all of its tables. */
  rows(): Promise<number>
  /** Commits that changed something, since this watch began. */
  commits(): Promise<number>
}
