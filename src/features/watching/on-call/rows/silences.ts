import {
  type Database,
  type DatabaseTime,
  type ReadCache,
  type Rows,
  readTime,
  schedule,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Environment } from '../../../../domain/environment.ts'
import type { Span } from '../../../../domain/outages/outage.ts'
import { SILENCE } from '../../rows/columns.ts'
import { readOpenIncidents } from '../../rows/incidents.ts'
import { showMaintenance } from '../../rows/notices.ts'
import { readFirst, scopeColumns, toWatch, toWatchChannel, type WatchScope } from '../../rows/row.ts'
import { selectOpenSilences, toSilence } from '../../rows/silences.ts'
import { updateChannels } from '../../rows/update-channels.ts'
import { WATCH_WORK, watchingLock } from '../../rows/watch-work.ts'
import { mayAffectWatch } from '../../rules/affected-watches.ts'
import type { MaintenanceSpan } from '../../rules/maintenance-spans.ts'
import {
  appliesIn,
  MAX_SILENCES,
  type NewSilence,
  type Silence,
  type SilenceKind,
  type SilenceSettings,
  type SilenceSubject,
  toSubjectKey,
} from '../../rules/silence.ts'
import {
  createWindow,
  findNextWindow,
  getNextStepTime,
  getStateAt,
  toFirstStart,
} from '../../rules/silence-windows.ts'
import { type WatchChannel, WatchLimitReached } from '../../rules/watch.ts'

interface SilenceQuery {
  /** Only silences that apply in this channel or thread. */
  readonly channelId?: string | undefined
  readonly environment?: Environment | undefined
  readonly kind?: SilenceKind | undefined
}

/** Reads and changes silences (`watch_silence`). */
export const createSilenceStore = (
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) => ({ ...createSilenceReads(database, cache), ...createSilenceChanges(database, time, cache) })

const createSilenceReads = ({ rows }: Database, cache: Pick<ReadCache, 'get'>) => ({
  /** Whether any maintenance is planned or running. Cached, because every list of checks needs it. */
  hasMaintenance: (workspaceId: string): Promise<boolean> =>
    cache.get(workspaceId, 'maintenance', async () => {
      const query = selectOpenSilences(rows, workspaceId).where('kind', '=', 'maintenance')
      return (await query.limit(1).executeTakeFirst()) !== undefined
    }),

  /** Lists the silences of the workspace or one channel that aren't over. The next to start or end comes first. */
  async list(workspaceId: string, { channelId, environment, kind }: SilenceQuery = {}): Promise<Silence[]> {
    let query = selectOpenSilences(rows, workspaceId)
    if (environment) query = query.where('environment', '=', environment)
    if (kind) query = query.where('kind', '=', kind)
    if (channelId !== undefined)
      query = query.where('channel_id', 'in', ['', channelId])
    const found = (await query.orderBy('from_at').orderBy('id').execute()).map(toSilence)
    return found.sort((left, right) => getNextChangeMs(left) - getNextChangeMs(right))
  },

  /** Finds the current or next window of a silence. */
  find: (workspaceId: string, planId: string) => findOpenWindow(rows, workspaceId, planId),

  /** Finds the latest window of a silence, even if it is over. */
  findLatest: (workspaceId: string, planId: string) => findLatestWindow(rows, workspaceId, planId),

  /** Finds a window by its own ID, even if it is over. */
  findWindow: (workspaceId: string, id: string) => findWindow(rows, workspaceId, id),

  /**
   * Lists the maintenance in this period that is excluded from uptime: maintenance of the whole workspace and, if there is a channel
   * ID, of the channel.
   */
  async listMaintenance(
    scope: WatchScope & { channelId?: string | undefined },
    { from, to }: Span,
  ): Promise<MaintenanceSpan[]> {
    const { channelId } = scope
    const found = await selectRows(rows, 'watch_silence', {
      ...scopeColumns(scope),
      kind: 'maintenance' as const,
    })
      .where('channel_id', 'in', ['', ...(channelId === undefined ? [] : [channelId])])
      .where('from_at', '<', to.toISOString())
      .where('to_at', '>', from.toISOString())
      .execute()
    return found.map(toSilence).flatMap((window) => {
      const [from, { subject, to }] = [getSubjectStart(window), window]
      return to && from < to ? [{ subject, from, to }] : []
    })
  },
})

const getNextChangeMs = ({ state, from, to }: Silence): number =>
  state === 'running' ? (to?.getTime() ?? Number.POSITIVE_INFINITY) : from.getTime()

function createSilenceChanges(
  { withLock }: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'invalidateAfter'>,
) {
  /** Runs while holding `watchingLock`, and clears the cache. */
  const withWatchingLock = <T>(workspaceId: string, work: (transaction: Rows) => Promise<T>): Promise<T> =>
    cache.invalidateAfter(workspaceId, withLock(watchingLock(workspaceId), work))

  return {
    /**
     * Adds a silence. A mute starts immediately, and replaces an open mute of the same subject there. If a silence with this ID
     * exists, returns it unchanged, even if it is over or was replaced since. Throws WatchLimitReached.
     */
    add: (silence: NewSilence): Promise<Silence> =>
      withWatchingLock(silence.workspaceId, async (transaction) => {
        const { workspaceId, planId, kind } = silence
        const existing = await findLatestWindow(transaction, workspaceId, planId)
        if (existing) return existing
        if (kind === 'mute') await endReplacedMute(transaction, silence)
        const { length } = await selectOpenSilences(transaction, workspaceId).limit(MAX_SILENCES).execute()
        if (length >= MAX_SILENCES) throw new WatchLimitReached('silences', MAX_SILENCES)
        const added: Silence = {
          ...silence,
          ...createWindow(silence.from, silence),
          id: newId(),
          firstStart: toFirstStart(silence.from, silence.timeZone),
          state: kind === 'mute' ? 'running' : 'planned',
        }
        await insertSilence(transaction, added)
        if (kind === 'mute') await updateChannels(transaction, time, added)
        await scheduleNext(transaction, time, added)
        return added
      }),

    /** Changes the current or next window and all later ones. False if the silence is over. */
    change: (workspaceId: string, planId: string, settings: SilenceSettings) =>
      withWatchingLock(workspaceId, async (transaction) => {
        const before = await findOpenWindow(transaction, workspaceId, planId)
        if (before) await changeWindow(transaction, time, before, settings)
        return before !== undefined
      }),

    /** Ends a window now, or cancels it. With `endsRecurrence`, no later window follows. Returns false if it was over. */
    end: (workspaceId: string, id: string, { endsRecurrence, now }: { endsRecurrence: boolean; now: Date }) =>
      withWatchingLock(workspaceId, async (transaction) => {
        const window = await findWindow(transaction, workspaceId, id)
        if (!window || window.state === 'over') return false
        const ended = endsRecurrence ? { ...window, every: undefined } : window
        const next = await closeWindow(transaction, time, ended, { to: endedAt(window, now), now })
        if (next) await scheduleNext(transaction, time, next)
        return true
      }),

    /** Announces, starts, or ends a silence if due. Returns the milliseconds until the next of these steps. */
    advance: (workspaceId: string, planId: string) =>
      withWatchingLock(workspaceId, async (transaction) => {
        const now = await readTime(transaction, time)
        const window = await findOpenWindow(transaction, workspaceId, planId)
        if (!window) return undefined
        const next = await advanceWindow(transaction, time, window, now)
        const nextAt = next && getNextStepTime(next)
        return nextAt && Math.max(0, nextAt.getTime() - now.getTime())
      }),
  }
}

/** When a window that is ended now ends. A canceled one ends before its start; a running one after it, even if the clock was set back. */
function endedAt({ state, from, to }: Pick<Silence, 'state' | 'from' | 'to'>, now: Date): Date {
  const earliest = state === 'running' ? from.getTime() + 1 : 0
  return new Date(Math.max(earliest, Math.min(now.getTime(), to?.getTime() ?? Number.POSITIVE_INFINITY)))
}

/** Ends the open mute of the same subject in the same place, because a new one replaces it. */
async function endReplacedMute(rows: Rows, mute: NewSilence): Promise<void> {
  const open = selectOpenSilences(rows, mute.workspaceId)
    .where('kind', '=', 'mute')
    .where('environment', '=', mute.environment)
    .where('channel_id', '=', mute.channelId ?? '')
    .where('subject_key', '=', toSubjectKey(mute.subject))
  const replaced = await readFirst(open, toSilence)
  if (!replaced) return
  const over = { ...replaced, to: endedAt(replaced, mute.from), state: 'over' as const }
  await updateRows(rows, 'watch_silence', { id: replaced.id }, toRow(over))
}

/** Changes the current or planned window. A running window stays running, and what it has covered until now stays covered. */
async function changeWindow(
  rows: Rows,
  time: DatabaseTime,
  before: Silence,
  settings: SilenceSettings,
): Promise<void> {
  // Later windows are computed from the first window, so that a monthly window on the 31st stays on the 31st.
  const keepsSchedule = settings.from.getTime() === before.from.getTime() && settings.every === before.every
  const firstStart = keepsSchedule ? before.firstStart : toFirstStart(settings.from, settings.timeZone)
  const after: Silence = {
    ...before,
    ...settings,
    ...createWindow(settings.from, { ...settings, firstStart }),
    every: settings.every,
    firstStart,
    subjectSince: await keepCovered(rows, time, before, settings.subject),
  }
  await updateRows(rows, 'watch_silence', { id: before.id }, toRow(after))
  await showInChannels(rows, time, after)
  await schedule(rows, time, silenceWork(before))
}

/** Stores what a running window has covered, if its subject changes now. Returns since when the window has its subject. */
async function keepCovered(
  rows: Rows,
  time: DatabaseTime,
  before: Silence,
  subject: SilenceSubject,
): Promise<Date | undefined> {
  const isSame = toSubjectKey(subject) === toSubjectKey(before.subject)
  if (before.state !== 'running' || isSame) return before.subjectSince
  const from = getSubjectStart(before)
  const now = new Date(
    Math.min((await readTime(rows, time)).getTime(), before.to?.getTime() ?? Number.POSITIVE_INFINITY),
  )
  if (now <= from) return from
  const covered = { ...before, id: newId(), planId: newId(), from, to: now, state: 'over' as const }
  await insertSilence(rows, { ...covered, every: undefined, subjectSince: undefined })
  return now
}

/** Since when a window covers its subject. A window that was moved to later starts after its subject was changed. */
const getSubjectStart = ({ subjectSince, from }: Pick<Silence, 'subjectSince' | 'from'>): Date =>
  subjectSince && subjectSince > from ? subjectSince : from

/** Moves a window to the state it should have now. If it is over, returns the next window of its plan. */
async function advanceWindow(
  rows: Rows,
  time: DatabaseTime,
  window: Silence,
  now: Date,
): Promise<Silence | undefined> {
  const state = getStateAt(window, now)
  if (state === window.state) return window
  if (state === 'over') return closeWindow(rows, time, window, { to: window.to ?? now, now })
  await updateRows(rows, 'watch_silence', { id: window.id }, { state })
  await showInChannels(rows, time, { ...window, state })
  return { ...window, state }
}

/** Ends a window, and creates and returns the next window of its plan. Undefined if the silence doesn't repeat. */
async function closeWindow(
  rows: Rows,
  time: DatabaseTime,
  window: Silence,
  { to, now }: { to: Date; now: Date },
): Promise<Silence | undefined> {
  const over = { ...window, to, state: 'over' as const }
  await updateRows(rows, 'watch_silence', { id: window.id }, toRow(over))
  await showInChannels(rows, time, over)
  const times = findNextWindow(window, now)
  if (!times) return undefined
  const next: Silence = { ...window, ...times, subjectSince: undefined, id: newId(), state: 'planned' }
  await insertSilence(rows, next)
  return next
}

/** Posts, edits, or closes the maintenance card in each affected channel, and updates what the channels show. */
async function showInChannels(rows: Rows, time: DatabaseTime, silence: Silence): Promise<void> {
  if (silence.kind === 'maintenance') {
    const { id, state } = silence
    const announced = await findAnnouncedChannels(rows, silence)
    const isOver = state === 'over'
    for (const channel of await findAffectedChannels(rows, silence)) {
      announced.delete(channel.channelId)
      if (state !== 'planned') await showMaintenance(rows, time, channel, { id, isOver })
    }
    // The remaining channels have an open card, but no longer watch a check that the maintenance covers.
    for (const channel of announced.values()) await showMaintenance(rows, time, channel, { id, isOver: true })
  }
  await updateChannels(rows, time, silence)
}

/** Finds the channels with an open card about a window. */
async function findAnnouncedChannels(rows: Rows, window: Silence) {
  const open = { ...scopeColumns(window), maintenance_id: window.id, closed_at: null }
  const found = await selectRows(rows, 'watch_card', open).execute()
  return new Map(found.map((row) => [row.channel_id, toWatchChannel(row)]))
}

/** Finds the channels and threads that watch a check the silence covers. */
async function findAffectedChannels(rows: Rows, silence: Silence): Promise<WatchChannel[]> {
  const query = selectRows(rows, 'watch', scopeColumns(silence)).orderBy('channel_id')
  const watches = (await query.execute()).map(toWatch).filter((watch) => appliesIn(silence, watch.channelId))
  const open = await readOpenIncidents(rows, silence)
  const currentNames = new Map(open.map(({ check }) => [check.uuid.toLowerCase(), check.name]))
  const matching = watches.filter(({ filter }) => mayAffectWatch(filter, silence.subject, currentNames))
  return [...new Map(matching.map((watch) => [watch.channelId, watch])).values()]
}

const silenceWork = ({ workspaceId, planId }: Pick<Silence, 'workspaceId' | 'planId'>) => ({
  workspaceId,
  kind: WATCH_WORK.silence,
  key: planId,
})

/** Schedules the next step of a silence. Maintenance runs at once, because its announcement may already be due. */
async function scheduleNext(rows: Rows, time: DatabaseTime, silence: Silence): Promise<void> {
  const at = getNextStepTime(silence)
  if (at) await schedule(rows, time, silenceWork(silence), silence.kind === 'mute' ? at : undefined)
}

const findOpenWindow = (rows: Rows, workspaceId: string, planId: string) =>
  readFirst(selectOpenSilences(rows, workspaceId).where('plan_id', '=', planId), toSilence)

const findWindow = (rows: Rows, workspaceId: string, id: string) =>
  readFirst(selectRows(rows, 'watch_silence', { workspace_id: workspaceId, id }), toSilence)

const findLatestWindow = (rows: Rows, workspaceId: string, planId: string) =>
  readFirst(
    selectRows(rows, 'watch_silence', { workspace_id: workspaceId, plan_id: planId }).orderBy(
      'from_at',
      'desc',
    ),
    toSilence,
  )

const toRow = (silence: Silence) =>
  SILENCE.toRow({
    ...silence,
    channelId: silence.channelId ?? '',
    subjectKey: toSubjectKey(silence.subject),
  })

async function insertSilence(rows: Rows, silence: Silence): Promise<void> {
  await rows.insertInto('watch_silence').values(toRow(silence)).execute()
}
