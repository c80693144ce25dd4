import { type Database, type DatabaseTime, deleteIn, type Rows, rowsIn, updateIn } from '@signalman/durable'
import { sql } from 'kysely'
import type { Outage } from '../../../../domain/outages/outage.ts'
import { CALL, ESCALATION, OUTAGES } from '../../rows/columns.ts'
import { pollOf } from '../../rows/poll-rows.ts'
import { channelWatches, firstOf, type ScopeOf } from '../../rows/row.ts'
import { readySilences } from '../../rows/silences.ts'
import { momentIn, updateChannels } from '../../rows/update-channels.ts'
import { turnOf } from '../../rows/watch-work.ts'
import { whyNobody } from '../../rules/escalation-steps.ts'
import { isInForce } from '../../rules/silence.ts'
import { fitting, readyWatch } from '../../rules/subjects.ts'
import type { Watch } from '../../rules/watch.ts'

/** What is to be known before people are called. */
export type PendingCall = NonNullable<Awaited<ReturnType<typeof findCall>>>

/** The rows of `watch_call`: people who are called, or were, about what nobody is on. */
export function watchCalls({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** Undefined once it is posted, or dropped. */
    find: (workspaceId: string, id: string) => findCall(rows, time, workspaceId, id),

    /** Its message is in the thread: the next step is the one after it. */
    posted: (workspaceId: string, id: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const call = await pending(transaction, workspaceId, id)
        if (!call) return
        await updateIn(transaction, 'watch_call', { id }, { posted_at: time() })
        await updateIn(
          transaction,
          'watch_escalation',
          { call_id: id },
          { step: sql<number>`step + 1`, call_id: null },
        )
        await updateChannels(transaction, time, call, { channelIds: [call.channelId] })
      }),

    /** Nobody needs to be called: the step is not used, and what is still so is due again at once. */
    drop: (workspaceId: string, id: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const call = await pending(transaction, workspaceId, id)
        if (!call) return
        await deleteIn(transaction, 'watch_call', { id })
        await updateIn(transaction, 'watch_escalation', { call_id: id }, { call_id: null })
        await updateChannels(transaction, time, call, { channelIds: [call.channelId] })
      }),
  }
}

const pending = (rows: Rows, workspaceId: string, id: string) =>
  firstOf(rowsIn(rows, 'watch_call', { id, workspace_id: workspaceId, posted_at: null }), CALL.of)

async function findCall(rows: Rows, time: DatabaseTime, workspaceId: string, id: string) {
  const call = await pending(rows, workspaceId, id)
  if (!call) return undefined
  const card = await rowsIn(rows, 'watch_card', { id: call.cardId }).executeTakeFirst()
  const ids = call.about.map(({ outageId }) => outageId)
  const found = await rows.selectFrom('watch_outage').selectAll().where('id', 'in', ids).execute()
  const outages = found.map(OUTAGES.of)
  const steps = (await rowsIn(rows, 'watch_escalation', { call_id: id }).execute()).map(ESCALATION.of)
  const watches = await channelWatches(rows, call)
  return {
    ...call,
    /** The message in whose thread people are called; undefined while it isn't posted. */
    ts: card?.ts ?? undefined,
    outages: outages as readonly Outage[],
    /** Since when nobody has been on it, as far as anybody looked. */
    waitedMs: Math.max(0, ...steps.map(({ waited }) => waited)),
    isMoot: await isMoot(rows, time, call, { outages, steps, watches }),
    instead: calledInstead(call, watches),
  }
}

/** The owners of the watches, who are called as well when the step reaches nobody, and why it doesn't. */
function calledInstead({ call, about }: ReturnType<typeof CALL.of>, watches: readonly Watch[]) {
  const own = watches.filter(({ id }) => about.some(({ watchId }) => watchId === id))
  const why = whyNobody(
    call,
    own.flatMap(({ unreachable = [] }) => unreachable),
  )
  const ownerIds = new Set(own.map(({ ownerId }) => ownerId)).difference(new Set(call.map(({ id }) => id)))
  return why && ownerIds.size > 0 ? { ownerIds: [...ownerIds], why } : undefined
}

/** Whether any of it came up, was taken, is silenced, can't be seen, or isn't asked for any more since the call was decided. */
async function isMoot(
  rows: Rows,
  time: DatabaseTime,
  call: ScopeOf & ReturnType<typeof CALL.of>,
  {
    outages,
    steps,
    watches: all,
  }: {
    outages: readonly Outage[]
    steps: readonly ReturnType<typeof ESCALATION.of>[]
    watches: readonly Watch[]
  },
): Promise<boolean> {
  const { at } = await momentIn(rows, time, call)
  const poll = await pollOf(rows, call)
  if (!poll || poll.isBlind) return true
  if (all.some(({ paused }) => paused)) return true
  const own = all.filter(({ environment }) => environment === call.environment).map(readyWatch)
  const silences = (await readySilences(rows, time, call))(call.channelId).filter((one) => isInForce(one, at))
  return call.about.some(({ outageId, watchId, run, step }) => {
    const outage = outages.find(({ id }) => id === outageId)
    const now = steps.find((one) => one.outageId === outageId && one.watchId === watchId)
    if (!outage || outage.endedAt || outage.onIt || now?.run !== run || now.step !== step) return true
    if (silences.some(({ covers }) => covers(outage.check))) return true
    const asking = fitting(own, outage.check).find(({ watch }) => watch.id === watchId)
    return JSON.stringify(asking?.watch.escalation ?? []) !== now.steps
  })
}
