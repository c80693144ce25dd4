import type { Stored } from '../stored.ts'

/** A sentence for each row that decides something and that was added, changed, restored, or deleted by something other than the app. */
export async function* findOutsideChanges({
  audit,
  forgedRows,
}: Pick<Stored, 'audit' | 'forgedRows'>): AsyncGenerator<string> {
  yield* forgedRows()
  yield* await audit.decisionFaults()
}
