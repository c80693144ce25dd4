import type { DatabaseTime, Rows } from '@signalman/durable'
import type { Silence } from '../rules/silence.ts'
import { muteMatcher } from '../rules/subjects.ts'
import type { Mute, WatchPlace } from '../rules/watch.ts'
import { mutesByMaintenance, windowsInForce } from './in-force.ts'
import { heldMutes, muteFrom, type ScopeOf, scopeColumns } from './row.ts'

/** What silences a channel of a scope: its mutes, and the maintenance that is under way. */
export async function mutesIn(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  only?: string,
): Promise<(channelId: string) => Mute[]> {
  const found = await heldMutes(rows, { ...scopeColumns(scope), channel_id: only }).execute()
  const mutes = Map.groupBy(found.map(muteFrom), ({ channelId }) => channelId)
  const maintenance = await windowsInForce(rows, time, scope)
  return (channelId) => [...(mutes.get(channelId) ?? []), ...mutesByMaintenance(maintenance, channelId)]
}

export const channelMutes = async (rows: Rows, time: DatabaseTime, place: WatchPlace): Promise<Mute[]> =>
  (await mutesIn(rows, time, place, place.channelId))(place.channelId)

/** The same, as the deciding part takes it. Each holds until its row says that it is over, and its own work sees to that. */
export async function silencesIn(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
): Promise<(channelId: string) => Silence[]> {
  const mutes = await mutesIn(rows, time, scope)
  return (channelId) =>
    mutes(channelId).map(({ id, environment, about, madeAt }) => ({
      ...{ id, environment, channelId, from: madeAt, begun: true },
      covers: muteMatcher(about),
    }))
}
