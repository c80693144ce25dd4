import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  type Schema,
  schedule,
  updateIn,
} from '@signalman/durable'
import { sql, type UpdateObject } from 'kysely'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { channelIn, placeName } from '../rules/watch.ts'
import { withOutages } from './cards.ts'
import type { WatchCardRow } from './columns.ts'
import { holdBack, type SlackMethod, takeTurn } from './pace.ts'
import { type ChannelOf, channelWatches, ofChannel, watchPlaceOf } from './row.ts'
import { channelSilences } from './silences.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, turnOf, WATCH_WORK } from './watch-work.ts'

/** The rows of `watch_card`, as messages to send. */
export function watchOutbox(database: Database, time: DatabaseTime) {
  const { rows, relaxed, inTurn, kind } = database
  const paced: Database['inTurn'] = (name, work) =>
    kind === 'sqlite' ? relaxed((own) => own.transaction().execute(work)) : inTurn(name, work)

  return {
    ...postOutcomes(database, time),

    /**
     * The next message for a channel: first cards that are not posted yet, oldest first; then cards to edit; then threads. Or
     * how long until there is one; undefined when nothing is behind.
     */
    async next(workspaceId: string, channelId: string): Promise<Untold | { waitMs: number } | undefined> {
      const at = await readTime(rows, time)
      const found = await nextRow(rows, at, { workspaceId, channelId })
      return !found || 'waitMs' in found ? found : await untoldOf(rows, time, found, at)
    },

    /** In how many ms there is one; undefined when nothing is behind. */
    async nextInMs(workspaceId: string, channelId: string): Promise<number | undefined> {
      const found = await nextRow(rows, await readTime(rows, time), { workspaceId, channelId })
      return found && ('waitMs' in found ? found.waitMs : 0)
    },

    /**
     * Puts what a channel missed onto one card; with `isPaused` all that is down, to try whether the channel takes it. False when it
     * changed nothing.
     */
    putTogether: (workspaceId: string, channelId: string, { isPaused }: { isPaused: boolean }) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const resume = { why: isPaused ? 'tried' : 'gap' } as const
        let hasChanged = false
        for (const environment of ENVIRONMENTS) {
          const asked = { channelIds: [channelId], resume }
          if (await updateChannels(transaction, time, { workspaceId, environment }, asked)) hasChanged = true
        }
        return hasChanged
      }),

    /** These cards are to be sent again as they are now. */
    redraw: (workspaceId: string, cardIds: readonly string[]) =>
      inTurn(turnOf(workspaceId), (transaction) => redrawCards(transaction, time, workspaceId, cardIds)),

    /**
     * Takes a turn by Slack's limits, of the channel and the workspace; returns how many ms to wait, or 0 to send now. It waits for no
     * disk: after a power cut, at worst a message comes a little early.
     */
    turn: ({ place: { workspaceId, channelId }, editTs }: Untold) =>
      paced(`pace of ${workspaceId}`, (transaction) =>
        takeTurn(transaction, time, {
          workspaceId,
          // Slack counts what comes into a channel, its threads too.
          channelId: channelIn(channelId),
          method: editTs === undefined ? 'post' : 'edit',
        }),
      ),

    /** Slack has asked for a pause of this method, in this workspace. */
    holdBack: (workspaceId: string, method: SlackMethod, ms: number) =>
      holdBack(rows, time, workspaceId, method, ms),

    /** Drops all unsent messages of a channel. Returns how many cards they were about. */
    async giveUp(workspaceId: string, channelId: string): Promise<number> {
      const { numUpdatedRows } = await rows
        .updateTable('watch_card')
        .set(({ ref }) => ({ shown_version: ref('version'), details_version: ref('version'), look_at: null }))
        .where((row) => row.and(ofChannel({ workspaceId, channelId })))
        .where(IS_BEHIND)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },

    /** How many cards of a channel are behind. */
    async behind(workspaceId: string, channelId: string): Promise<number> {
      const { many } = await untoldRows(rows, { workspaceId, channelId })
        .where(sql<boolean>`shown_version < version`)
        .select((card) => card.fn.countAll().as('many'))
        .executeTakeFirstOrThrow()
      return Number(many)
    },
  }
}

/** Records the outcome of a message that was sent. */
function postOutcomes({ rows, relaxed }: Database, time: DatabaseTime) {
  const set = async ({ told }: Untold, values: UpdateObject<Schema, 'watch_card'>): Promise<void> =>
    void (await updateIn(rows, 'watch_card', { id: told.card.id }, values))
  return {
    /** Slack shows this version of it; the ts is known already of one that was edited. */
    async sent({ told: { card }, what, editTs, place }: Untold, ts: string | undefined, version: number) {
      const reached =
        what === 'card'
          ? { shown_version: version, shown_at: time(), ...(ts !== undefined && { ts }) }
          : { details_version: version, ...(ts !== undefined && { details_ts: ts }) }
      // While a card is edited, the outcome of the reply in its thread may still be unknown.
      const sure = editTs === undefined && { look_at: null }
      // After a power cut that takes this back, the message is looked for and found.
      await relaxed(async (own) => {
        await updateIn(own, 'watch_card', { id: card.id }, { ...reached, ...sure })
        // Escalation and reminders wait from when an outage is known to be shown.
        if (what === 'card' && card.kind === 'outage')
          await schedule(own, time, {
            workspaceId: place.workspaceId,
            kind: WATCH_WORK.due,
            key: placeName(place),
          })
      })
    },

    /** Nothing is said of it before there is more to tell: it counts as shown, up to this version. */
    untellable: (untold: Untold) =>
      set(untold, {
        ...(untold.what === 'card' && { shown_version: untold.version }),
        // A card that is not posted has no thread for the reply.
        ...((untold.what === 'details' || untold.ts === undefined) && { details_version: untold.version }),
      }),

    /** It is not known yet whether the message was posted. */
    lookLater: (untold: Untold, ms: number) => set(untold, { look_at: time(ms) }),

    /** The message no longer exists: it will be posted again. The reply in a thread is lost with its card. */
    lost: (untold: Untold) =>
      set(untold, {
        ...(untold.what === 'card' && { ts: null, shown_version: 0 }),
        details_ts: null,
        look_at: null,
      }),
  }
}

/** The next message to send to a channel: a card, or the reply in a card's thread. */
export type Untold = Awaited<ReturnType<typeof untoldOf>>

/** The longest that it stays unknown whether a message was posted, as `find-lost-post.ts` has it. */
const MOST_UNSURE_MS = 300_000
/** The shortest wait. */
const LEAST_WAIT_MS = 1000

const IS_BEHIND = sql<boolean>`(shown_version < version or details_version < version)`

const untoldRows = (rows: Rows, place: ChannelOf) =>
  rows
    .selectFrom('watch_card')
    .where((row) => row.and(ofChannel(place)))
    .where(IS_BEHIND)

async function nextRow(
  rows: Rows,
  at: Date,
  channel: ChannelOf,
): Promise<WatchCardRow | { waitMs: number } | undefined> {
  const now = at.toISOString()
  const unsureUntil = new Date(at.getTime() + MOST_UNSURE_MS).toISOString()
  /** It is too early to know whether the message was posted. An edit of a message that exists does not wait for that. */
  const isUnsure = sql<boolean>`(look_at is not null and look_at > ${now} and look_at <= ${unsureUntil} and
    (ts is null or shown_version >= version))`
  const row = await untoldRows(rows, channel)
    .selectAll()
    .where(sql<boolean>`not ${isUnsure}`)
    .orderBy(sql`case when ts is null then 0 when shown_version < version then 1 else 2 end`)
    .orderBy('changed_at')
    .limit(1)
    .executeTakeFirst()
  if (row) return row
  const held = await untoldRows(rows, channel)
    .select([sql<string | null>`min(case when ${isUnsure} then look_at end)`.as('look')])
    .executeTakeFirst()
  if (!held?.look) return undefined
  return { waitMs: Math.max(LEAST_WAIT_MS, Date.parse(held.look) - at.getTime()) }
}

async function untoldOf(rows: Rows, time: DatabaseTime, row: WatchCardRow, now: Date) {
  const place = watchPlaceOf(row)
  const watches = await channelWatches(rows, place)
  const what: 'card' | 'details' = row.ts === null || row.shown_version < row.version ? 'card' : 'details'
  return {
    place,
    told: await withOutages(rows, row),
    /** The version that the message will show. */
    version: row.version,
    what,
    /** The card's message; undefined until it is posted. */
    ts: row.ts ?? undefined,
    /** The message to edit; undefined to post a new one. */
    editTs: (what === 'card' ? row.ts : row.details_ts) ?? undefined,
    silences: await channelSilences(rows, time, place),
    /** All of the channel, oldest first. */
    watches,
    now,
    /** It is a try: the channel's watches are paused. */
    isPaused: watches.some(({ paused }) => paused),
    /** It waits for somebody to agree that people of another organization read it. */
    isHeldBack: watches.some(({ paused }) => paused?.why === 'shared-outside'),
  }
}
