import {
  type Database,
  type DatabaseTime,
  deleteRows,
  type Rows,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { sql } from 'kysely'
import type { Outage } from '../../../../domain/outages/outage.ts'
import { CALL, ESCALATION, OUTAGES } from '../../rows/columns.ts'
import { readPoll } from '../../rows/poll-rows.ts'
import { readChannelWatches, readFirst, type WatchScope } from '../../rows/row.ts'
import { readPreparedSilences } from '../../rows/silences.ts'
import { readNow, updateChannels } from '../../rows/update-channels.ts'
import { watchingLock } from '../../rows/watch-work.ts'
import { findMatchingWatches, prepareWatch } from '../../rules/matching.ts'
import { isInForce } from '../../rules/silence.ts'
import type { Watch } from '../../rules/watch.ts'

/** A page that hasn't been posted yet, with everything needed to post it. */
export type PendingCall = NonNullable<Awaited<ReturnType<typeof findCall>>>

/** Reads and changes pages to people (`watch_call`). */
export function createCallStore({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** Finds a pending page. Undefined once it is posted or dropped. */
    find: (workspaceId: string, id: string) => findCall(rows, time, workspaceId, id),

    /** Records that the page was posted, so that escalation continues with the next step. */
    markPosted: (workspaceId: string, id: string) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const call = await findPending(transaction, workspaceId, id)
        if (!call) return
        await updateRows(transaction, 'watch_call', { id }, { posted_at: time() })
        await updateRows(
          transaction,
          'watch_escalation',
          { call_id: id },
          { step: sql<number>`step + 1`, call_id: null },
        )
        await updateChannels(transaction, time, call, { channelIds: [call.channelId] })
      }),

    /** Deletes a page that is no longer needed. If the outage needs it again later, its escalation step creates a new one. */
    drop: (workspaceId: string, id: string) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const call = await findPending(transaction, workspaceId, id)
        if (!call) return
        await deleteRows(transaction, 'watch_call', { id })
        await updateRows(transaction, 'watch_escalation', { call_id: id }, { call_id: null })
        await updateChannels(transaction, time, call, { channelIds: [call.channelId] })
      }),
  }
}

const findPending = (rows: Rows, workspaceId: string, id: string) =>
  readFirst(selectRows(rows, 'watch_call', { id, workspace_id: workspaceId, posted_at: null }), CALL.parse)

async function findCall(rows: Rows, time: DatabaseTime, workspaceId: string, id: string) {
  const call = await findPending(rows, workspaceId, id)
  if (!call) return undefined
  const card = await selectRows(rows, 'watch_card', { id: call.cardId }).executeTakeFirst()
  const ids = call.steps.map(({ outageId }) => outageId)
  const found = await rows.selectFrom('watch_outage').selectAll().where('id', 'in', ids).execute()
  const outages = found.map(OUTAGES.parse)
  const steps = (await selectRows(rows, 'watch_escalation', { call_id: id }).execute()).map(ESCALATION.parse)
  const watches = await readChannelWatches(rows, call)
  return {
    ...call,
    /** The card's message; undefined until it is posted. */
    ts: card?.ts ?? undefined,
    outages: outages as readonly Outage[],
    /** How long nobody has been on the outages, measured by the watch clock. */
    waitedMs: Math.max(0, ...steps.map(({ waitedMs }) => waitedMs)),
    isObsolete: await isObsolete(rows, time, call, { outages, steps, watches }),
    /** The owners of the watches whose steps are due. */
    ownerIds: findOwners(call, watches),
  }
}

function findOwners({ steps }: ReturnType<typeof CALL.parse>, watches: readonly Watch[]): string[] {
  const paging = watches.filter(({ id }) => steps.some(({ watchId }) => watchId === id))
  return [...new Set(paging.map(({ ownerId }) => ownerId))]
}

/**
 * Whether the page is no longer needed, because an outage has ended, was acknowledged, or is silenced, the service can't be reached,
 * the channel is paused, or the watch's escalation changed.
 */
async function isObsolete(
  rows: Rows,
  time: DatabaseTime,
  call: WatchScope & ReturnType<typeof CALL.parse>,
  {
    outages,
    steps,
    watches: channelWatches,
  }: {
    outages: readonly Outage[]
    steps: readonly ReturnType<typeof ESCALATION.parse>[]
    watches: readonly Watch[]
  },
): Promise<boolean> {
  const { at } = await readNow(rows, time, call)
  const poll = await readPoll(rows, call)
  if (!poll || poll.isFailureReported) return true
  if (channelWatches.some(({ paused }) => paused)) return true
  const prepared = channelWatches
    .filter(({ environment }) => environment === call.environment)
    .map(prepareWatch)
  const silences = (await readPreparedSilences(rows, time, call))(call.channelId).filter((silence) =>
    isInForce(silence, at),
  )
  return call.steps.some(({ outageId, watchId, run, step }) => {
    const outage = outages.find(({ id }) => id === outageId)
    const current = steps.find(
      (escalation) => escalation.outageId === outageId && escalation.watchId === watchId,
    )
    if (!outage || outage.endedAt || outage.onIt || current?.run !== run || current.step !== step) return true
    if (silences.some(({ covers }) => covers(outage.check))) return true
    const paging = findMatchingWatches(prepared, outage.check).find(({ watch }) => watch.id === watchId)
    return JSON.stringify(paging?.watch.escalation ?? []) !== current.steps
  })
}
