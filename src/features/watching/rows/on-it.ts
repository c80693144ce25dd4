import {
  type Database,
  type DatabaseTime,
  type DecisionTransaction,
  type Rows,
  readTime,
  selectRows,
} from '@signalman/durable'
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import { isTypedCheck, type TypedCheck } from '../../../domain/find-check.ts'
import { getFallTime, type Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts, OnIt, WasOnIt } from '../../../domain/outages/outage.ts'
import { toPeople } from '../rules/channel/pages.ts'
import type { Post } from '../rules/channel/state.ts'
import { listPageOwners } from '../rules/page-owners.ts'
import type { Said } from '../rules/said.ts'
import type { Responder, WatchChannel, WatchScope } from '../rules/watch.ts'
import { updateChannels } from './channels.ts'
import { POST, SCOPE } from './columns.ts'
import {
  readIncidents,
  readOpenIncidents,
  saveReleased,
  saveTaken,
  toChannelIncident,
  toIncident,
} from './incidents.ts'
import { readWatches } from './readers.ts'
import { say } from './say.ts'

interface Person {
  readonly userId: string
  readonly name: string
}

type Taken = readonly Pick<CheckFacts, 'uuid' | 'name'>[]

/**
 * `taken`: the person is now on the incidents, of which these are down. `none`: nothing on the message is down. `gone`: it is no longer
 * stored.
 */
type TakeOutcome = { readonly taken: Taken } | 'none' | 'gone' | { readonly takenBy: OnIt }

/** What is paged about: what is down on a message, or one check that a channel watches. */
export type Paged =
  | { readonly postId: string }
  | { readonly channelId: string; readonly environment: Environment; readonly uuid: string }

/** A page that somebody asked for. `owners`: who gets it if nobody in the channel would hear of it. */
export interface SentPage {
  readonly channelId: string
  readonly responders: readonly Responder[]
  readonly owners: readonly string[]
  /** How many pages of watches about the same were sent before. */
  readonly before: number
}

/** How many checks of taken incidents are returned. */
const MAX_NAMES = 100

export const onItReads = ({ rows }: Pick<Database, 'rows'>) => ({
  /** The only check that is down and has the typed name or UUID. */
  async findDown(scope: WatchScope, typed: TypedCheck['values']): Promise<CheckFacts | undefined> {
    const named = (await readOpenIncidents(rows, scope)).filter(
      ({ isDown, check }) => isDown && check.uuid !== '' && isTypedCheck(check, typed),
    )
    return named.length === 1 ? named[0]?.check : undefined
  },

  /** The health checks that are open on a message. Empty if it is no longer stored. */
  async listChecks(workspaceId: string, postId: string): Promise<{ uuid: string; name: string }[]> {
    const pressed = await readPressed(rows, workspaceId, postId)
    return pressed?.open.map(({ check: { uuid, name } }) => ({ uuid, name })) ?? []
  },

  /** A card that lists an incident, with what is down on it: this channel's, or else any channel's. Undefined if none does. */
  async findCard(workspaceId: string, incidentId: string, channelId?: string) {
    const found = await rows
      .selectFrom('incident_line as line')
      .innerJoin('watch_post as card', 'card.id', 'line.card_id')
      .select(['card.id', 'card.ts', 'card.channel_id as channelId'])
      .where((row) => row.and({ 'line.incident_id': incidentId, 'line.workspace_id': workspaceId }))
      .orderBy('card.opened_at')
      .execute()
    const card = found.find((one) => one.channelId === channelId) ?? found[0]
    const pressed = card && (await readPressed(rows, workspaceId, card.id))
    return pressed && { ...card, down: pressed.open.filter(({ isDown }) => isDown) }
  },

  /** The cards that list a check, or one of these, that is down with nobody on it: those of a channel, or of any. */
  async listFreeCards(
    { workspaceId, environment, channelId }: WatchScope & { readonly channelId?: string | undefined },
    uuids?: readonly string[],
  ) {
    const found = await rows
      .selectFrom('incident')
      .innerJoin('incident_line as line', 'line.incident_id', 'incident.id')
      .innerJoin('watch_post as card', 'card.id', 'line.card_id')
      .select(['card.id', 'incident.id as incidentId'])
      .where('incident.workspace_id', '=', workspaceId)
      .where('incident.environment', '=', environment)
      .where('incident.uuid', '<>', '')
      .$if(uuids !== undefined, (query) => query.where('incident.uuid', 'in', uuids ?? []))
      .where('incident.closed_at', 'is', null)
      .where('incident.is_down', '=', 1)
      .where('incident.on_it', 'is', null)
      .$if(channelId !== undefined, (query) => query.where('card.channel_id', '=', channelId ?? ''))
      .orderBy('card.opened_at')
      .execute()
    // Of one that several channels list, any card will do.
    const cards = new Map(found.map(({ incidentId, id }) => [incidentId, id]))
    return [...new Set(cards.values())]
  },

  /** The open incidents that a person is on, newest first. */
  listTaken: async (workspaceId: string, userId: string) =>
    (await readTaken(rows, { workspaceId })).filter(({ incident }) => incident.onIt?.by === userId),
})

export const onItChanges = ({ transaction, workspaceId }: DecisionTransaction, time: DatabaseTime) => ({
  /**
   * Puts a person on the message's incidents that nobody is on, also on those that may go down again. If somebody is on everything
   * that is down, takes over from `takeOverFrom`, which `said` tells them in the thread of each card.
   */
  async take(
    postId: string,
    person: Person,
    { takeOverFrom, said }: { takeOverFrom?: string | undefined; said?: (taken: Taken) => Said } = {},
  ): Promise<TakeOutcome> {
    const pressed = await readPressed(transaction, workspaceId, postId)
    if (!pressed) return 'gone'
    const { open, scope } = pressed
    const down = open.filter(({ isDown }) => isDown)
    if (down.length === 0) return 'none'
    const available = findAvailable(open, person.userId, takeOverFrom)
    if (available.length === 0) {
      const taken = down.find(({ onIt }) => onIt?.by === person.userId) ?? down[0]
      return taken?.onIt ? { takenBy: taken.onIt } : 'none'
    }
    const onIt = { by: person.userId, name: person.name, at: await readTime(transaction, time) }
    for (const { id } of available) await saveTaken(transaction, id, onIt)
    await updateChannels(transaction, time, scope)
    const named = available.filter(({ isDown }) => isDown).slice(0, MAX_NAMES)
    const taken = named.map(({ check: { uuid, name } }) => ({ uuid, name }))
    if (said) await sayOnCards(transaction, time, scope, available, said)
    return { taken }
  },

  /**
   * Pages at once about what is down on a message, or about one check that the channel watches: these people, or else those whom the
   * watches page next. Returns the pages; none if nobody is to be paged; undefined if nothing of it is down.
   */
  async page(
    about: Paged,
    { askedBy, responders }: { askedBy: string; responders?: readonly Responder[] },
  ): Promise<readonly SentPage[] | undefined> {
    const pressed = await ('postId' in about
      ? readPressed(transaction, workspaceId, about.postId)
      : readOpen(transaction, { workspaceId, ...about }))
    const down = pressed?.open.filter(({ isDown }) => isDown) ?? []
    if (!pressed || down.length === 0) return undefined
    const incidentIds = down.map((incident) => incident.id)
    const { channelId, scope } = pressed
    const sending = await listSending(transaction, { ...scope, channelId }, incidentIds, responders)
    const changed =
      sending.length > 0
        ? []
        : await updateChannels(transaction, time, scope, {
            pageNow: { channelId, incidentIds, askedBy, responders },
          })
    const own = (await readWatches(transaction, scope)).filter((watch) => watch.channelId === channelId)
    const lines = await selectRows(transaction, 'incident_line', { channel_id: channelId })
      .where('incident_id', 'in', incidentIds)
      .execute()
    const counts = lines.flatMap((line) => Object.values(toChannelIncident(line).waits?.pages ?? {}))
    const before = counts.reduce((sum, { count }) => sum + count, 0)
    const pages = [...sending, ...changed.filter((post) => post.isNew && post.askedBy)]
    return pages.map(({ about, responders = [] }): SentPage => {
      const checks = down.flatMap(({ id, check }) => (about?.[id] ? [check] : []))
      return { channelId, responders, owners: listPageOwners(about, checks, own), before }
    })
  },

  /** Steps down from the message's incidents. Returns how many there were. */
  async stepDown(postId: string, userId: string): Promise<number> {
    const pressed = await readPressed(transaction, workspaceId, postId)
    const own = pressed?.open.filter(({ onIt }) => onIt?.by === userId) ?? []
    return pressed ? release(transaction, time, pressed.scope, own, 'stepped-down') : 0
  },
})

/** The same pages, if somebody asked for them and they aren't sent yet: the next ones of watches, or those to these people. */
async function listSending(
  rows: Rows,
  channel: WatchChannel,
  incidentIds: readonly string[],
  responders: readonly Responder[] | undefined,
): Promise<Post[]> {
  const { workspaceId: workspace_id, environment, channelId: channel_id } = channel
  const unsent = { workspace_id, environment, channel_id, kind: 'note', ts: null, closed_at: null } as const
  const asked = selectRows(rows, 'watch_post', unsent).where('asked_by', 'is not', null)
  const posts = (await asked.execute()).map(POST.parse)
  const isSame = ({ about = {}, ...post }: Post): boolean =>
    post.responders !== undefined &&
    incidentIds.every((id) => about[id]) &&
    (responders
      ? toPeople(responders) === toPeople(post.responders)
      : Object.values(about).some((watches) => watches.length > 0))
  return posts.filter(isSame)
}

/** What takes the lock of the workspace itself. `removePerson`: when Slack says that somebody has left. */
export const onItLocked = ({ withLock }: Pick<Database, 'withLock'>, time: DatabaseTime) => ({
  /** Whom `page` would page now: the same decision, of which nothing is saved. */
  async previewPage(workspaceId: string, about: Paged): Promise<readonly SentPage[] | undefined> {
    const undo = new Error('Nothing of a preview is saved.')
    let paged: readonly SentPage[] | undefined
    await withLock(workspaceId, async (transaction) => {
      paged = await onItChanges({ transaction, workspaceId }, time).page(about, { askedBy: 'preview' })
      throw undo
    }).catch((error: unknown) => {
      if (error !== undo) throw error
    })
    return paged
  },

  /** Takes the person off all incidents. Returns how many. */
  removePerson: (workspaceId: string, userId: string): Promise<number> =>
    withLock(workspaceId, async (transaction) => {
      let count = 0
      for (const environment of ENVIRONMENTS) {
        const taken = await readTaken(transaction, { workspaceId, environment })
        const own = taken.flatMap(({ incident }) => (incident.onIt?.by === userId ? [incident] : []))
        count += await release(transaction, time, { workspaceId, environment }, own, 'left')
      }
      return count
    }),
})

/** Nobody is on these incidents anymore, and every channel is told. Returns how many there are. */
async function release(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  incidents: readonly Incident[],
  because: WasOnIt['because'],
): Promise<number> {
  if (incidents.length === 0) return 0
  for (const incident of incidents) {
    const { id, onIt } = incident
    const fallMs = getFallTime(incident).getTime()
    if (onIt) await saveReleased(rows, id, { ...onIt, because, fallMs })
  }
  await updateChannels(rows, time, scope)
  return incidents.length
}

/** Says in the thread of each card, in all channels, what somebody has taken over of what it lists. */
async function sayOnCards(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  taken: readonly Incident[],
  said: (taken: Taken) => Said,
): Promise<void> {
  const ids = taken.flatMap(({ id, onIt }) => (onIt ? [id] : []))
  const lines = await rows.selectFrom('incident_line').selectAll().where('incident_id', 'in', ids).execute()
  for (const [cardId, onCard] of Map.groupBy(lines, (line) => line.card_id)) {
    const listed = new Set(onCard.map((line) => line.incident_id))
    const checks = taken.flatMap(({ id, isDown, check }) => (isDown && listed.has(id) ? [check] : []))
    const [first] = onCard
    if (first)
      await say(
        rows,
        time,
        { ...scope, channelId: first.channel_id },
        said(checks.slice(0, MAX_NAMES)),
        cardId,
      )
  }
}

/** The open incidents that nobody is on, or if somebody is on all that are down, those to take over. */
function findAvailable(open: readonly Incident[], userId: string, takeOverFrom?: string): Incident[] {
  const free = open.filter(({ onIt }) => !onIt)
  if (free.some(({ isDown }) => isDown)) return free
  return open.filter(({ onIt }) => onIt && onIt.by === takeOverFrom && onIt.by !== userId)
}

async function readTaken(
  rows: Rows,
  { workspaceId, environment }: { workspaceId: string; environment?: Environment },
): Promise<{ environment: Environment; incident: Incident }[]> {
  const found = await selectRows(
    rows,
    'incident',
    { workspace_id: workspaceId, closed_at: null },
    { environment },
  )
    .where('on_it', 'is not', null)
    .orderBy('opened_at', 'desc')
    .execute()
  return found.map((row) => ({ environment: row.environment, incident: toIncident(row) }))
}

/** The open incidents that a message is about. Undefined if it isn't stored. */
async function readPressed(rows: Rows, workspaceId: string, id: string) {
  const row = await selectRows(rows, 'watch_post', { id, workspace_id: workspaceId }).executeTakeFirst()
  if (!row) return undefined
  const { about } = POST.parse(row)
  const listed = () =>
    selectRows(rows, 'incident_line', { channel_id: row.channel_id, card_id: id }).execute()
  const ids = about ? Object.keys(about) : (await listed()).map((line) => line.incident_id)
  const open = (await readIncidents(rows, ids)).filter(({ closedAt }) => !closedAt)
  return { scope: SCOPE.parse(row), channelId: row.channel_id, open }
}

async function readOpen(
  rows: Rows,
  { channelId, uuid, ...scope }: WatchScope & { readonly channelId: string; readonly uuid: string },
) {
  const found = await selectRows(rows, 'incident', { ...SCOPE.toRow(scope), uuid, closed_at: null }).execute()
  return { scope, channelId, open: found.map(toIncident) }
}
