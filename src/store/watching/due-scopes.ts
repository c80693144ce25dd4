import type { Kysely } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchPollRow } from '../database/watch-rows.ts'
import { scopeName, scopeOfRow } from './poll-rows.ts'
import type { DueScopes, Places, UnderWay } from './polls.ts'
import { watchOf } from './row.ts'

type DueRow = WatchPollRow & { readonly now: string }

/** See `WatchPolls.due`. */
export async function dueScopes(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  group: number,
  { places, underWay }: { places: Places; underWay: UnderWay },
): Promise<DueScopes> {
  const dueOf = (isFailing: boolean, most: number): Promise<DueRow[]> =>
    rows
      .selectFrom('watch_poll')
      .selectAll()
      .select(time().as('now'))
      .where('poll_group', '=', group)
      .where('due_at', '<=', time())
      .where('failing_since', isFailing ? 'is not' : 'is', null)
      .orderBy('due_at')
      // A poll that is under way stays due until it has ended.
      .limit(most + underWay.size)
      .execute()
  const due: DueRow[] = []
  let isMore = false
  for (const [isFailing, most] of [
    [false, places.answered],
    [true, places.failing],
  ] as const) {
    const found = await dueOf(isFailing, most)
    const others = found.filter((row) => !underWay.has(nameOf(row)))
    due.push(...others.slice(0, Math.max(0, most)))
    isMore ||= found.length === most + underWay.size || others.length > most
  }
  const watches = await watchesOf(rows, [...new Set(due.map((row) => row.workspace_id))])
  return {
    at: new Date(due[0]?.now ?? 0),
    scopes: due.map((row) => scopeOfRow(row, watches.get(nameOf(row)) ?? [])),
    isMore,
  }
}

const nameOf = (row: Pick<WatchPollRow, 'workspace_id' | 'environment'>): string =>
  scopeName({ workspaceId: row.workspace_id, environment: row.environment })

/** By the name of their scope. Paused ones too: what is down by then is told when they are resumed. */
async function watchesOf(rows: Kysely<Schema>, workspaceIds: readonly string[]) {
  if (workspaceIds.length === 0) return new Map()
  const found = await rows
    .selectFrom('watch')
    .selectAll()
    .where('workspace_id', 'in', padded(workspaceIds))
    .execute()
  return Map.groupBy(found.map(watchOf), scopeName)
}

/** Pads the list to one of a few lengths, so that a few prepared statements are enough. */
function padded(values: readonly string[]): string[] {
  const length = 4 ** Math.ceil(Math.log2(values.length) / 2)
  return Array.from({ length }, (_, index) => values[index] ?? values[0] ?? '')
}
