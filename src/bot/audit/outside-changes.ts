import type { Stored } from '../stored.ts'

/**
 * Yields a sentence for each role or setting that something other than the app added, changed, restored, or deleted.
 */
export async function* findOutsideChanges({
  audit,
  forgedRows,
}: Pick<Stored, 'audit' | 'forgedRows'>): AsyncGenerator<string> {
  yield* forgedRows()
  yield* await audit.listDecisionFaults()
}
