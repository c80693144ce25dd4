import type { Transaction } from 'kysely'
import type { CasePerson, CaseStep } from '../../domain/threat-case.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { deleteInBatches } from '../database/sweeping.ts'
import type { ThreatCaseRow } from '../database/threat-rows.ts'
import { whileKeyIsHeld } from '../secrets/save-sealed.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { caseOrUnopened, caseTurn, sealedCase, type ThreatCase } from './case-rows.ts'

export interface CaseForgetting {
  /** Deletes cases that were closed before the one time, and open ones in which nothing was done since the other. */
  sweepCases(closedBefore: Date, untouchedSince: Date): Promise<number>
  /** Deletes all cases of a workspace, and says how many. */
  forgetCases(workspaceId: string): Promise<number>
  /** Takes a person's id and name out of all cases of a workspace, and says in how many they stood. */
  erasePerson(workspaceId: string, userId: string): Promise<number>
}

/** Stands where a person was. */
const NOBODY: CasePerson = { userId: 'erased', name: 'somebody' }
const AT_ONCE = 100

export function caseForgetting({ rows, inTurn }: Database, keys: WorkspaceKeys): CaseForgetting {
  const removed = (ids: (limit: number) => Promise<{ id: string }[]>): Promise<number> =>
    deleteInBatches(async (limit) => {
      const some = (await ids(limit)).map(({ id }) => id)
      if (some.length === 0) return 0
      await rows.deleteFrom('threat_case').where('id', 'in', some).execute()
      return some.length
    })
  const idsOf = () => rows.selectFrom('threat_case').select('id')

  async function erase(event: ThreatCaseRow, userId: string): Promise<boolean> {
    const turn = caseTurn(event.workspace_id, event.environment, event.event_id)
    const inItsTurn = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => inTurn(turn, work)
    return await whileKeyIsHeld(inItsTurn, keys, event.workspace_id, async (transaction, sealer) => {
      const row = await transaction
        .selectFrom('threat_case')
        .selectAll()
        .where('id', '=', event.id)
        .executeTakeFirst()
      const opener = await keys.opener(transaction, [row?.sealed_about ?? null])
      const found = row && caseOrUnopened(row, opener)
      // Of what opens no more, nobody reads a name.
      const left = found && !('unopened' in found) && without(found, userId)
      if (!left) return false
      await transaction
        .updateTable('threat_case')
        .set({ holder_id: left.holder?.userId ?? null, sealed_about: sealedCase(left, sealer) })
        .where('id', '=', event.id)
        .execute()
      return true
    })
  }

  return {
    async sweepCases(closedBefore, untouchedSince) {
      const closed = await removed((limit) =>
        idsOf()
          .where('state', 'in', ['down', 'false-positive'])
          .where('changed_at', '<', closedBefore.toISOString())
          .limit(limit)
          .execute(),
      )
      const untouched = await removed((limit) =>
        idsOf()
          .where('state', 'in', ['open', 'taken', 'takedown-sent'])
          .where('changed_at', '<', untouchedSince.toISOString())
          .limit(limit)
          .execute(),
      )
      return closed + untouched
    },

    forgetCases: (workspaceId) =>
      removed((limit) => idsOf().where('workspace_id', '=', workspaceId).limit(limit).execute()),

    async erasePerson(workspaceId, userId) {
      let count = 0
      let behind = ''
      for (;;) {
        const some = await rows
          .selectFrom('threat_case')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '>', behind)
          .orderBy('id')
          .limit(AT_ONCE)
          .execute()
        for (const row of some) if (await erase(row, userId)) count += 1
        behind = some.at(-1)?.id ?? ''
        if (some.length < AT_ONCE) return count
      }
    },
  }
}

/** Undefined where they do not stand in it. */
function without(found: ThreatCase, userId: string): ThreatCase | undefined {
  const { holder, steps } = found
  const names = new Set(
    [holder, ...steps.map(({ by }) => by)].flatMap((one) => (one?.userId === userId ? [one.name] : [])),
  )
  if (names.size === 0) return undefined
  return {
    ...found,
    holder: holder?.userId === userId ? NOBODY : holder,
    steps: steps.map((step) => ({
      ...(step.by?.userId === userId ? byNobody(step, step.by) : step),
      from: step.from !== undefined && names.has(step.from) ? NOBODY.name : step.from,
    })),
  }
}

/** The words of notes ended with the name of whoever took the step; elsewhere in them a name may be a part of a word. */
function byNobody(step: CaseStep, { name }: CasePerson): CaseStep {
  const ending = ` by ${name}`
  const { says } = step
  return { ...step, by: NOBODY, says: says?.endsWith(ending) ? says.slice(0, -ending.length) : says }
}
