import {
  type Database,
  normalizeName,
  type Rows,
  rowsIn,
  saveSealed,
  type TextSealer,
  updateIn,
  type WorkspaceKeys,
} from '@signalman/durable'
import { yieldWhenDue } from '@signalman/runtime'
import type { CasePerson } from '../rules/case-steps.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { caseTurn, sealedCase, sealedCases } from './case-rows.ts'
import type { ThreatCaseRow } from './tables.ts'

const AT_ONCE = 100

/**
 * Erases a person's ID, name, and other names from all cases of a workspace. Returns how many named them, and how many can't be
 * decrypted and may still name them: those only lose their holder. Call it again once they can be decrypted.
 */
export const erasePerson =
  (database: Database, keys: WorkspaceKeys) =>
  async (workspaceId: string, userId: string, alsoKnownAs: readonly string[] = []) => {
    const count = { erased: 0, unopened: 0 }
    for await (const { id, environment, event_id } of eachRow(database.rows, workspaceId)) {
      const erase = async (transaction: Rows, sealer: TextSealer) => {
        const row = await rowsIn(transaction, 'threat_case', { id }).execute()
        const [found] = await sealedCases.all(transaction, keys, row)
        if (found && 'unopened' in found) {
          // Lists filter by the holder's ID, so it is also stored unencrypted.
          const held = { id, holder_id: userId }
          await updateIn(transaction, 'threat_case', held, { holder_id: NOBODY.userId })
          return 'unopened'
        }
        const left = found && withoutPerson(found, userId, alsoKnownAs)
        if (!left) return undefined
        const rewritten = { holder_id: left.holder?.userId ?? null, sealed_about: sealedCase(left, sealer) }
        await updateIn(transaction, 'threat_case', { id }, rewritten)
        return 'erased'
      }
      // The current content, read in the case's turn.
      const turn = caseTurn(workspaceId, environment, event_id)
      const erased = await saveSealed(database, keys, workspaceId, erase, turn)
      if (erased) count[erased] += 1
    }
    return count
  }

/** The cases of a workspace, in batches. */
async function* eachRow(rows: Rows, workspaceId: string): AsyncGenerator<ThreatCaseRow> {
  for (let behind = ''; ; ) {
    const some = await rowsIn(rows, 'threat_case', { workspace_id: workspaceId })
      .where('id', '>', behind)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
    for (const row of some) {
      await yieldWhenDue()
      yield row
    }
    behind = some.at(-1)?.id ?? ''
    if (some.length < AT_ONCE) return
  }
}

/** Replaces an erased person. */
export const NOBODY: CasePerson = { userId: 'erased', name: 'somebody' }

/** Undefined if the case doesn't name them. */
function withoutPerson(
  found: ThreatCase,
  userId: string,
  alsoKnownAs: readonly string[],
): ThreatCase | undefined {
  const { holder, steps, watched } = found
  const own = [holder, watched?.by, ...steps.flatMap(({ by, to }) => [by, to])].flatMap((one) =>
    one?.userId === userId ? [one.name] : [],
  )
  // A long history may have lost the person's own steps, but still have the step in which someone took over from them.
  const names = new Set([...own, ...alsoKnownAs].map(normalizeName))
  const isTheirs = (name: string | undefined) => name !== undefined && names.has(normalizeName(name))
  if (own.length === 0 && !steps.some(({ from }) => isTheirs(from))) return undefined
  return {
    ...found,
    holder: holder?.userId === userId ? NOBODY : holder,
    watched: watched?.by.userId === userId ? { ...watched, by: NOBODY } : watched,
    steps: steps.map((step) => ({
      ...step,
      by: step.by?.userId === userId ? NOBODY : step.by,
      ...(step.to?.userId === userId && { to: NOBODY }),
      from: isTheirs(step.from) ? NOBODY.name : step.from,
    })),
  }
}
