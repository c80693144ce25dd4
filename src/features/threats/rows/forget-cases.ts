import {
  type Database,
  type DatabaseTime,
  normalizeName,
  type Rows,
  type Sealer,
  saveSealed,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { yieldWhenDue } from '@signalman/runtime'
import type { CasePerson } from '../rules/case-steps.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { caseLock, scheduleUpdate, sealCase, sealedCases } from './case-rows.ts'
import type { ThreatCaseRow } from './tables.ts'

const BATCH_SIZE = 100

/**
 * Erases a person's ID and all their names from the cases of a workspace. Returns how many cases named the person, and how many
 * can't be decrypted. In the latter, only the holder column is erased, so run this again when they can be decrypted.
 */
export const erasePerson =
  (database: Database, time: DatabaseTime, keys: Sealer) =>
  async (workspaceId: string, userId: string, alsoKnownAs: readonly string[] = []) => {
    const counts = { erased: 0, undecryptable: 0 }
    for await (const { id, environment, event_id } of eachCaseRow(database.rows, workspaceId)) {
      const erase = async (transaction: Rows, sealer: Sealer) => {
        // Their DM is no longer used: the question is posted for someone else, and the DM is edited.
        const askedThem = { id, asked_for: userId }
        const isAsked = await updateRows(transaction, 'threat_case', askedThem, {
          asked_for: ERASED_PERSON.userId,
        })
        if (isAsked > 0) await scheduleUpdate(transaction, time, { workspaceId, id })
        const row = await selectRows(transaction, 'threat_case', { id }).execute()
        const [threatCase] = await sealedCases.readAll(keys, row)
        if (threatCase && 'sealError' in threatCase) {
          // The holder's ID is also stored unencrypted, because lists filter by it.
          const heldByPerson = { id, holder_id: userId }
          await updateRows(transaction, 'threat_case', heldByPerson, { holder_id: ERASED_PERSON.userId })
          return 'undecryptable'
        }
        const anonymized = threatCase && withoutPerson(threatCase, userId, alsoKnownAs)
        if (!anonymized) return undefined
        const rewritten = {
          holder_id: anonymized.holder?.userId ?? null,
          sealed_about: sealCase(anonymized, sealer),
        }
        await updateRows(transaction, 'threat_case', { id }, rewritten)
        return 'erased'
      }
      // Reads the content again while holding the case's lock.
      const lock = caseLock(workspaceId, environment, event_id)
      const erased = await saveSealed(database, keys, workspaceId, erase, lock)
      if (erased) counts[erased] += 1
    }
    return counts
  }

/** The cases of a workspace, in batches. */
async function* eachCaseRow(rows: Rows, workspaceId: string): AsyncGenerator<ThreatCaseRow> {
  for (let lastId = ''; ; ) {
    const batch = await selectRows(rows, 'threat_case', { workspace_id: workspaceId })
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(BATCH_SIZE)
      .execute()
    for (const row of batch) {
      await yieldWhenDue()
      yield row
    }
    lastId = batch.at(-1)?.id ?? ''
    if (batch.length < BATCH_SIZE) return
  }
}

/** The placeholder for an erased person. */
export const ERASED_PERSON: CasePerson = { userId: 'erased', name: 'someone' }

/** Anonymizes the person in a case. Returns undefined if the case doesn't name them. */
function withoutPerson(
  threatCase: ThreatCase,
  userId: string,
  alsoKnownAs: readonly string[],
): ThreatCase | undefined {
  const { holder, steps, watched } = threatCase
  const knownNames = [holder, watched?.by, ...steps.flatMap(({ by, newHolder }) => [by, newHolder])].flatMap(
    (person) => (person?.userId === userId ? [person.name] : []),
  )
  // A shortened history may lack the person's own steps but still name them in a takeover.
  const names = new Set([...knownNames, ...alsoKnownAs].map(normalizeName))
  const isPersonsName = (name: string | undefined) => name !== undefined && names.has(normalizeName(name))
  if (knownNames.length === 0 && !steps.some(({ previousHolder }) => isPersonsName(previousHolder)))
    return undefined
  return {
    ...threatCase,
    holder: holder?.userId === userId ? ERASED_PERSON : holder,
    watched: watched?.by.userId === userId ? { ...watched, by: ERASED_PERSON } : watched,
    steps: steps.map((step) => ({
      ...step,
      by: step.by?.userId === userId ? ERASED_PERSON : step.by,
      ...(step.newHolder?.userId === userId && { newHolder: ERASED_PERSON }),
      previousHolder: isPersonsName(step.previousHolder) ? ERASED_PERSON.name : step.previousHolder,
    })),
  }
}
