import {
  type Database,
  type DatabaseTime,
  type DecisionTransaction,
  type Rows,
  selectRows,
  updateRows,
} from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { Span } from '../../../domain/outages/outage.ts'
import type { Said } from '../rules/said.ts'
import { appliesIn, findWindow, type Silence } from '../rules/silence.ts'
import { MAX_SILENCES, WatchLimitReached, type WatchScope } from '../rules/watch.ts'
import { updateChannels } from './channels.ts'
import { SCOPE, SILENCE } from './columns.ts'
import { readOpenSilences, readWatches, toSilence } from './readers.ts'
import { say } from './say.ts'

async function find(rows: Rows, workspaceId: string, id: string): Promise<Silence | undefined> {
  const row = await selectRows(rows, 'watch_silence', { id, workspace_id: workspaceId }).executeTakeFirst()
  return row && toSilence(row)
}

export const silenceReads = ({ rows }: Pick<Database, 'rows'>) => ({
  find: (workspaceId: string, id: string) => find(rows, workspaceId, id),

  /** The silences of the workspace, or those that apply in one channel. */
  async list(
    workspaceId: string,
    now: Date,
    { channelId, environment }: { channelId?: string | undefined; environment?: Environment } = {},
  ): Promise<Silence[]> {
    const open = await readOpenSilences(rows, { workspaceId, ...(environment && { environment }) }, now)
    return channelId === undefined ? open : open.filter((silence) => appliesIn(silence, channelId))
  },

  /** The maintenance of a period that is excluded from uptime in a channel. */
  async listMaintenance(
    scope: WatchScope & { readonly channelId?: string | undefined },
    { from, to }: Span,
  ): Promise<Silence[]> {
    const found = await selectRows(rows, 'watch_silence', { ...SCOPE.toRow(scope), is_maintenance: 1 })
      .where('from_at', '<', to.toISOString())
      .execute()
    return found
      .map(toSilence)
      .filter((silence) => appliesIn(silence, scope.channelId) && findWindow(silence, from))
  },
})

export const silenceChanges = ({ transaction, workspaceId }: DecisionTransaction, time: DatabaseTime) => ({
  /**
   * Adds one silence, or several of one channel, which is told once. Throws WatchLimitReached.
   */
  async add(silences: readonly [Silence, ...Silence[]], said?: Said): Promise<void> {
    const [first] = silences
    const others = await readOpenSilences(transaction, first, first.madeAt)
    if (others.length + silences.length > MAX_SILENCES)
      throw new WatchLimitReached('mutes and maintenance windows', MAX_SILENCES)
    for (const silence of silences) {
      const row = SILENCE.toRow({ ...silence, channelId: silence.channelId ?? '' })
      await transaction.insertInto('watch_silence').values(row).execute()
    }
    await sayWhereItApplies(transaction, time, first, said)
    await updateChannels(transaction, time, first)
  },

  /** Ends silences of one channel with all their later windows, which is told once. Returns those that weren't over. */
  async end(
    ids: readonly string[],
    now: Date,
    toSaid?: (ended: readonly Silence[]) => Said,
  ): Promise<readonly Silence[]> {
    const ended: Silence[] = []
    for (const id of ids) {
      const silence = await find(transaction, workspaceId, id)
      if (!silence || silence.endedAt || !findWindow(silence, now)) continue
      await updateRows(transaction, 'watch_silence', { id }, { ended_at: now.toISOString() })
      ended.push(silence)
    }
    const [first] = ended
    if (!first) return []
    await sayWhereItApplies(transaction, time, first, toSaid?.(ended))
    await updateChannels(transaction, time, first)
    return ended
  },
})

/** In its channel, or in every channel that watches something. */
async function sayWhereItApplies(
  rows: Rows,
  time: DatabaseTime,
  { channelId, ...scope }: Silence,
  said: Said | undefined,
): Promise<void> {
  const channels =
    channelId === undefined ? (await readWatches(rows, scope)).map((watch) => watch.channelId) : [channelId]
  for (const one of new Set(channels)) await say(rows, time, { ...scope, channelId: one }, said)
}

/** Exchanges the UUID in the silences of one check. Returns how many. */
export async function followInSilences(
  rows: Rows,
  scope: WatchScope,
  deleted: string,
  putBack: string,
): Promise<number> {
  let count = 0
  for (const silence of await readOpenSilences(rows, scope, new Date(0))) {
    const { id, channelId = '', subject } = silence
    if (subject.kind !== 'check' || subject.uuid !== deleted) continue
    const { about } = SILENCE.toRow({ ...silence, channelId, subject: { ...subject, uuid: putBack } })
    await updateRows(rows, 'watch_silence', { id }, { about })
    count += 1
  }
  return count
}
