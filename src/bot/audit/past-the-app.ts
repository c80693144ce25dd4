import type { Stored } from '../stored.ts'

/** A sentence for each row that decides something and that somebody has put in, changed, put back or deleted past the app. */
export async function* writtenPastTheApp({
  audit,
  forgedRows,
}: Pick<Stored, 'audit' | 'forgedRows'>): AsyncGenerator<string> {
  yield* forgedRows()
  yield* await audit.decisionFaults()
}
