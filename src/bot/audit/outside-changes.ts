import type { Stored } from '../stored.ts'

/**
 * A sentence for each row with a decision (a role or a setting) that something other than the app added, changed, restored, or
 * deleted.
 */
export async function* findOutsideChanges({
  audit,
  forgedRows,
}: Pick<Stored, 'audit' | 'forgedRows'>): AsyncGenerator<string> {
  yield* forgedRows()
  yield* await audit.decisionFaults()
}
