import { sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { rowsIn } from '../database/schema.ts'
import type { InTransaction } from '../secrets/save-sealed.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { causeColumns, holdsOf, savingOf, sealedBody, turnOf, type Work, workReader } from './work-row.ts'

export type Started = 'started' | 'over' | 'busy'
export type Stopped = 'asked' | 'stopped' | 'over'

/** How people start and stop work that is there. */
export function startAndStop({ rows, inTurn }: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const reader = workReader(keys)
  return {
    /**
     * Starts prepared or stopped work: `over` when it is neither, `busy` while other work of its kind that is not over waits or runs
     * in this workspace. Of several at once, one is `started`. A `newOwner` has it from now on, with a progress message of their own.
     */
    start(
      workspaceId: string,
      id: string,
      newOwner?: { personId: string; body: unknown },
      isOver: (other: Work) => boolean = () => false,
    ): Promise<Started> {
      const inItsTurn: InTransaction = (done) => inTurn(turnOf(workspaceId), done)
      return savingOf(keys)(inItsTurn, { workspaceId, body: newOwner }, async (transaction, sealer) => {
        const own = rowsIn(transaction, 'work', { workspace_id: workspaceId })
        const work = await own.where('id', '=', id).executeTakeFirst()
        if (!work || (work.state !== 'prepared' && work.state !== 'stopped')) return 'over'
        const alike = own.where('kind', '=', work.kind).where('state', 'in', ['waiting', 'running'])
        const others = await reader.all(transaction, await alike.execute())
        if (others.some((other) => !holdsOf(other, isOver))) return 'busy'
        await transaction
          .updateTable('work')
          .set({
            state: 'waiting',
            wants_stop: 0,
            attempts: 0,
            due_at: time(),
            touched_at: time(),
            ...causeColumns(),
            ...(newOwner &&
              sealer && {
                person_id: newOwner.personId,
                sealed_body: sealedBody(sealer, workspaceId, id, newOwner.body),
                message_channel: null,
                message_ts: null,
              }),
          })
          .where('id', '=', id)
          .execute()
        return 'started'
      })
    },

    /** Asks the process that has it to stop; work that no process has is `stopped` at once. */
    async stop(workspaceId: string, id: string): Promise<Stopped> {
      const ifRuns = sql`case when state = 'running' then`
      // In one statement: it may be taken or given back meanwhile.
      const stopped = await rows
        .updateTable('work')
        .set({
          state: sql`${ifRuns} state else 'stopped' end`,
          wants_stop: sql`${ifRuns} 1 else wants_stop end`,
          touched_at: sql`${ifRuns} touched_at else ${time()} end`,
        })
        .where((work) => work.and({ id, workspace_id: workspaceId }))
        .where('state', 'in', ['prepared', 'waiting', 'running'])
        .returning('state')
        .executeTakeFirst()
      if (!stopped) return 'over'
      return stopped.state === 'running' ? 'asked' : 'stopped'
    },
  }
}
