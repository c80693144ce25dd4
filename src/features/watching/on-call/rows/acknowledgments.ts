import {
  type Database,
  type DatabaseTime,
  type Rows,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { ENVIRONMENTS, type Environment } from '../../../../domain/environment.ts'
import type { CheckFacts, OnIt } from '../../../../domain/outages/outage.ts'
import { CARDS, ON_CALL } from '../../rows/columns.ts'
import {
  readIncidentsById,
  readLinesOf,
  saveLines,
  toIncident,
  toLine,
} from '../../rows/incidents.ts'
import { inBatches } from '../../rows/pages.ts'
import { toWatchChannel, type WatchScope } from '../../rows/row.ts'
import { readNow, updateChannels } from '../../rows/update-channels.ts'
import { watchingLock } from '../../rows/watch-work.ts'
import { type Incident, listPressed, releaseIncident } from '../../rules/incident.ts'

interface Person {
  readonly userId: string
  readonly name: string
}

/** The message whose button was pressed. */
export interface PressedCard {
  /** The ID of a card or page. */
  readonly cardId: string
  /** Limits the change to the incidents that this version of the card showed. Undefined: all that it shows now. */
  readonly version?: number | undefined
}

/**
 * `taken`: the person is now on the incidents. `none`: the message has no open ones of the pressed version anymore. `gone`: it is no
 * longer stored. `takenBy`: who is already on them. Stored as JSON.
 */
type AcknowledgeOutcome =
  | { readonly taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[] }
  | 'none'
  | 'gone'
  | { readonly takenBy: OnIt }

/** Reads and changes who has acknowledged (“is on”) which incidents. */
export function createAcknowledgmentStore({ rows, withLock }: Database, time: DatabaseTime) {
  const withPressed = <T>(
    workspaceId: string,
    pressed: PressedCard,
    change: (rows: Rows, scope: WatchScope, listed: Incident[] | undefined) => Promise<T>,
  ): Promise<T> =>
    withLock(watchingLock(workspaceId), async (transaction) => {
      const found = await readPressed(transaction, workspaceId, pressed)
      // Without a message there are no incidents to change, so any environment will do.
      return change(transaction, found?.scope ?? { workspaceId, environment: 'production' }, found?.incidents)
    })
  const findOwn = (listed: readonly Incident[], userId: string): Incident[] =>
    listed.filter(({ closed, onIt }) => !closed && onIt?.by === userId)

  return {
    /**
     * Acknowledges the pressed incidents that nobody is on. If there are none, takes over those that `takeOverFrom` is on, or changes
     * nothing if it is undefined. `taken` has their checks.
     */
    acknowledge: (
      workspaceId: string,
      pressed: PressedCard,
      { userId, name }: Person,
      takeOverFrom?: string,
    ): Promise<AcknowledgeOutcome> =>
      withPressed(workspaceId, pressed, async (transaction, scope, listed) => {
        if (!listed) return 'gone'
        const open = listed.filter(({ closed }) => !closed)
        const available = selectAvailable(open, userId, takeOverFrom)
        if (available.length === 0) {
          const { onIt } = findOwn(open, userId)[0] ?? open[0] ?? {}
          return onIt ? { takenBy: onIt } : 'none'
        }
        await putOnIt(transaction, time, scope, available, { userId, name })
        return { taken: available.slice(0, MAX_NAMES).map(({ check: { uuid, name } }) => ({ uuid, name })) }
      }),

    /** Steps down: everything about the incidents starts again. Returns how many there were. */
    stepDown: (workspaceId: string, pressed: PressedCard, userId: string): Promise<number> =>
      withPressed(workspaceId, pressed, async (transaction, scope, listed = []) => {
        const own = findOwn(listed, userId)
        await release(transaction, time, scope, own)
        return own.length
      }),

    /**
     * Hands over the incidents with these IDs that `from` is on. Returns those that `to` is on now, so that a repeated change knows
     * what it did the first time.
     */
    handOver: (
      scope: WatchScope,
      ids: readonly string[],
      from: string,
      to: Person,
    ): Promise<readonly Incident[]> =>
      withLock(watchingLock(scope.workspaceId), async (transaction) => {
        const found = await readIncidentsById(transaction, ids)
        await putOnIt(transaction, time, scope, findOwn(found, from), to)
        return found.filter(({ closed, onIt }) => !closed && (onIt?.by === from || onIt?.by === to.userId))
      }),

    /** Ends all acknowledgments of a person who has left. Returns the number of incidents. */
    removePerson: (workspaceId: string, userId: string): Promise<number> =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        let count = 0
        for (const environment of ENVIRONMENTS) {
          const scope = { workspaceId, environment }
          const own = findOwn(await readAcknowledged(transaction, scope), userId)
          await release(transaction, time, scope, own)
          count += own.length
        }
        return count
      }),

    /** The channels that list these incidents now, by incident. */
    async listChannels(
      workspaceId: string,
      incidentIds: readonly string[],
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const channels = new Map<string, string[]>()
      for await (const ids of inBatches(incidentIds)) {
        const lines = selectRows(rows, 'incident_line', { workspace_id: workspaceId })
          .where('card_id', 'is not', null)
          .where('incident_id', 'in', ids)
        for (const { incident_id, channel_id } of await lines.execute())
          channels.set(incident_id, [...(channels.get(incident_id) ?? []), channel_id])
      }
      return channels
    },

    /** Lists the open incidents that anyone is on, newest first. */
    async listAcknowledged(
      workspaceId: string,
    ): Promise<readonly { environment: Environment; incident: Incident }[]> {
      const found = await selectRows(rows, 'incident', { workspace_id: workspaceId, closed_at: null })
        .where('on_it', 'is not', null)
        .orderBy('opened_at', 'desc')
        .execute()
      return found.map((row) => ({ environment: row.environment, incident: toIncident(row) }))
    },

    /** Lists the open incidents that this person is on, newest first. */
    async listAcknowledgedBy(workspaceId: string, userId: string, limit: number) {
      const acknowledged = await this.listAcknowledged(workspaceId)
      return acknowledged.filter(({ incident }) => incident.onIt?.by === userId).slice(0, limit)
    },
  }
}

/** How many checks of taken incidents are returned. */
const MAX_NAMES = 100

/** The incidents that nobody is on. If there are none, those that `takeOverFrom` is on. */
function selectAvailable(
  open: readonly Incident[],
  userId: string,
  takeOverFrom: string | undefined,
): readonly Incident[] {
  const free = open.filter(({ onIt }) => !onIt)
  if (free.length > 0 || takeOverFrom === undefined || takeOverFrom === userId) return free
  return open.filter(({ onIt }) => onIt?.by === takeOverFrom)
}

/** Reads what a press is about. Undefined if it isn't stored. */
async function readPressed(rows: Rows, workspaceId: string, { cardId, version }: PressedCard) {
  const row = await selectRows(rows, 'watch_card', { id: cardId, workspace_id: workspaceId })
    .where('kind', 'in', ['card', 'page'])
    .executeTakeFirst()
  if (!row) return undefined
  const lines = await selectRows(rows, 'incident_line', { card_id: cardId }).execute()
  const pressed = listPressed(CARDS.parse(row), version, lines.map(toLine))
  return {
    scope: toWatchChannel(row),
    incidents: await readIncidentsById(rows, pressed),
  }
}

const readAcknowledged = async (rows: Rows, { workspaceId, environment }: WatchScope): Promise<Incident[]> =>
  (
    await selectRows(rows, 'incident', { workspace_id: workspaceId, environment, closed_at: null })
      .where('on_it', 'is not', null)
      .execute()
  ).map(toIncident)

const saveOnIt = (rows: Rows, id: string, onIt: OnIt | undefined): Promise<number> => {
  const { on_it } = ON_CALL.toRow({ onIt, paged: {} })
  return updateRows(rows, 'incident', { id }, { on_it })
}

/** Saves that a person is on these incidents. */
async function putOnIt(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  incidents: readonly Incident[],
  { userId: by, name }: Person,
): Promise<void> {
  if (incidents.length === 0) return
  const now = await readNow(rows, time, scope)
  for await (const batch of inBatches(incidents))
    for (const { id } of batch) await saveOnIt(rows, id, { by, name, ...now })
  await updateChannels(rows, time, scope)
}

/** Nobody is on these incidents anymore: every channel gets a new message, and paging starts at the first step. */
async function release(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  incidents: readonly Incident[],
): Promise<void> {
  if (incidents.length === 0) return
  const lines = Map.groupBy(
    await readLinesOf(
      rows,
      incidents.map(({ id }) => id),
    ),
    ({ incidentId }) => incidentId,
  )
  for await (const batch of inBatches(incidents))
    for (const incident of batch) {
      const released = releaseIncident(incident, lines.get(incident.id) ?? [])
      await updateRows(rows, 'incident', { id: incident.id }, ON_CALL.toRow(released.incident))
      await saveLines(rows, scope, released.lines)
    }
  await updateChannels(rows, time, scope)
}
