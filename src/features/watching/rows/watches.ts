import {
  type Database,
  type DatabaseTime,
  type DecisionTransaction,
  deleteRows,
  type Rows,
  readTime,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import { toFilterKey } from '../rules/filter-fields.ts'
import type { Said } from '../rules/said.ts'
import {
  MAX_EDITS,
  MAX_WATCHES,
  type NewWatch,
  requireNamesLeft,
  type Watch,
  type WatchChannel,
  WatchLimitReached,
  type WatchRule,
  type WatchScope,
  type WatchSettings,
} from '../rules/watch.ts'
import { hashSettings } from '../rules/watch-fields.ts'
import { updateChannels, waitingSince } from './channels.ts'
import { EDITS, SETTINGS, WATCH } from './columns.ts'
import { startPolling, stopUnwatchedPolling } from './polls.ts'
import { readChannel } from './readers.ts'
import { say } from './say.ts'
import { scheduleDelivery } from './work.ts'

type ChannelKey = Pick<WatchChannel, 'workspaceId' | 'channelId'>
const channelColumns = ({ workspaceId, channelId }: ChannelKey) => ({
  workspace_id: workspaceId,
  channel_id: channelId,
})

async function find(rows: Rows, workspaceId: string, id: string): Promise<Watch | undefined> {
  const row = await selectRows(rows, 'watch', { id, workspace_id: workspaceId }).executeTakeFirst()
  return row && WATCH.parse(row)
}

async function list(
  rows: Rows,
  workspaceId: string,
  where: { channelId?: string; environment?: Environment } = {},
): Promise<Watch[]> {
  const optional = { channel_id: where.channelId, environment: where.environment }
  const query = selectRows(rows, 'watch', { workspace_id: workspaceId }, optional)
  return (await query.orderBy('channel_id').orderBy('made_at').orderBy('id').execute()).map(WATCH.parse)
}

const findSame = async (rows: Rows, watch: NewWatch): Promise<Watch | undefined> =>
  (await list(rows, watch.workspaceId, watch)).find(
    ({ id, filter }) => id !== watch.id && toFilterKey(filter) === toFilterKey(watch.filter),
  )

export const watchReads = ({ rows }: Pick<Database, 'rows'>) => ({
  /** The watches of the workspace or one channel; by channel, oldest first. */
  list: (workspaceId: string, where?: { channelId?: string; environment?: Environment }) =>
    list(rows, workspaceId, where),
  find: (workspaceId: string, id: string) => find(rows, workspaceId, id),
})

export const watchChanges = ({ transaction, workspaceId }: DecisionTransaction, time: DatabaseTime) => ({
  /**
   * Adds a watch, and starts polling. If the channel has a watch with the same filter, returns that one unchanged. Throws WatchLimitReached and UserError.
   */
  async add(watch: NewWatch, said?: Said): Promise<Watch> {
    const all = await list(transaction, workspaceId)
    const existing = await findSame(transaction, watch)
    if (existing) return existing
    if (all.length >= MAX_WATCHES) throw new WatchLimitReached('watches', MAX_WATCHES)
    requireNamesLeft(
      all.filter(({ channelId }) => channelId === watch.channelId),
      watch,
    )
    const row = WATCH.toRow({ ...watch, madeAt: await readTime(transaction, time) })
    await transaction.insertInto('watch').values(row).execute()
    await startPolling(transaction, time, watch)
    await say(transaction, time, watch, said)
    await updateChannels(transaction, time, watch, { savedId: watch.id })
    return WATCH.parse(row)
  },

  /**
   * Changes a watch. Undefined if the watch no longer exists. Throws UserError, also what `refuse` throws about the watch as it is stored.
   */
  async change(
    id: string,
    settings: WatchSettings,
    { said, refuse }: { said?: Said; refuse?: (stored: Watch) => void } = {},
  ): Promise<Watch | undefined> {
    const before = await find(transaction, workspaceId, id)
    if (!before) return undefined
    if (hashSettings(before) === hashSettings(settings)) return before
    refuse?.(before)
    const same = await findSame(transaction, { ...before, ...settings })
    if (same) throw new UserError('Another watch of this channel is of the same health checks.')
    const all = await list(transaction, workspaceId, { channelId: before.channelId })
    const others = all.filter((other) => other.id !== id)
    requireNamesLeft(others, { filter: settings.filter, before: before.filter })
    const edits = addEdit(before, settings, await readTime(transaction, time))
    const row = { ...SETTINGS.toRow(settings), ...EDITS.toRow({ edits }) }
    await updateRows(transaction, 'watch', { id }, row)
    await say(transaction, time, before, said)
    await redraw(transaction, time, before, { savedId: id })
    return find(transaction, workspaceId, id)
  },

  /** Deletes a watch. What nobody watches anymore leaves the cards. False if the watch no longer exists. */
  async remove(id: string, now: Date, said?: Said): Promise<boolean> {
    const watch = await find(transaction, workspaceId, id)
    if (!watch) return false
    await deleteRows(transaction, 'watch', { id })
    const isLast = (await list(transaction, workspaceId, { channelId: watch.channelId })).length === 0
    const { paused } = await readChannel(transaction, workspaceId, watch.channelId)
    // Whoever allows posting there later does so for other watches: also what has joined a card that is there was held back.
    const isClosed = isLast && paused !== undefined
    if (isClosed) await deleteRows(transaction, 'incident_line', channelColumns(watch))
    await stopUnwatchedPolling(transaction, watch, now)
    await redraw(transaction, time, watch)
    if (isClosed) await dropUnsent(transaction, watch)
    else await say(transaction, time, watch, said)
    await scheduleDelivery(transaction, time, watch)
    return true
  },
})

/** Edits the channel's open cards: they show some settings of the watches, such as a runbook. */
async function redraw(rows: Rows, time: DatabaseTime, channel: WatchChannel, options = {}): Promise<void> {
  await rows
    .updateTable('watch_post')
    .set((post) => ({ version: post('version', '+', 1), waiting_since: waitingSince(time) }))
    .where((post) => post.and({ ...channelColumns(channel), kind: 'card', closed_at: null }))
    .execute()
  await updateChannels(rows, time, channel, options)
  await scheduleDelivery(rows, time, channel)
}

/** What is down is new to a changed watch if it wasn't about it before, or begins to page. */
function addEdit({ filter, page, edits }: Watch, settings: WatchSettings, at: Date): Watch['edits'] {
  const knew = page || !settings.page ? filter : undefined
  if (knew && toFilterKey(knew) === toFilterKey(settings.filter)) return edits
  return [...(edits ?? []), { at, knew }].slice(-MAX_EDITS)
}

/** Drops a channel's unsent messages. */
async function dropUnsent(rows: Rows, channel: ChannelKey): Promise<void> {
  const unsent = { ...channelColumns(channel), ts: null }
  await rows
    .deleteFrom('watch_post')
    .where((post) => post.and([post.and(unsent), post('kind', 'in', ['note', 'reply'])]))
    .where('closed_at', 'is', null)
    .execute()
  await rows
    .updateTable('watch_post')
    .set(({ ref }) => ({ shown_version: ref('version'), recheck_at: null }))
    .where((row) => row.and(unsent))
    .execute()
}

/** Exchanges the UUID in the filters that name it. Returns how many. */
export async function followInWatches(
  rows: Rows,
  { workspaceId, environment }: WatchScope,
  deleted: string,
  putBack: string,
): Promise<number> {
  const isIt = ({ field, pattern }: WatchRule) => field === 'uuid' && pattern === deleted
  const naming = (await list(rows, workspaceId, { environment })).filter(({ filter }) =>
    filter.include.some(isIt),
  )
  for (const { id, filter, ...watch } of naming) {
    const include = filter.include.map((rule) => (isIt(rule) ? { ...rule, pattern: putBack } : rule))
    await updateRows(rows, 'watch', { id }, SETTINGS.toRow({ ...watch, filter: { ...filter, include } }))
  }
  return naming.length
}
