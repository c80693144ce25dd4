import { type Database, type Rows, selectRows, updateRows } from '@signalman/durable'
import type { MoveWatches } from '../../../domain/outages/move-watches.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { WatchFilter, WatchScope } from '../rules/watch.ts'
import { SCOPE } from './columns.ts'
import { watchingLock } from './work.ts'

/**
 * When checks were recreated with new UUIDs, updates the watches, silences, and threat cases that refer to them. `uuids` maps old
 * UUIDs to new ones. Returns how many now refer to a new check; `watches` includes threat cases.
 */
export const createMoveWatches =
  ({ withLock }: Database): MoveWatches =>
  async (scope, uuids) => {
    if (uuids.size === 0) return { watches: 0, silences: 0 }
    const newUuids = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const moved = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const move = (uuid: string): string => newUuids.get(uuid.toLowerCase()) ?? uuid
    const isNew = (uuid: string): boolean => moved.has(uuid.toLowerCase())
    return withLock(watchingLock(scope.workspaceId), async (rows) => ({
      watches:
        (await moveInWatches(rows, scope, move, isNew)) + (await moveInCases(rows, scope, move, isNew)),
      silences: await moveInSilences(rows, scope, move, isNew),
    }))
  }

type Move = (uuid: string) => string
type IsNew = (uuid: string) => boolean

async function moveInWatches(rows: Rows, scope: WatchScope, move: Move, isNew: IsNew): Promise<number> {
  const found = await selectRows(rows, 'watch', SCOPE.toRow(scope))
    .where('filter', 'like', '%"uuid"%')
    .execute()
  let count = 0
  for (const { id, filter } of found) {
    // Cast: only Signalman writes this column.
    const { include, exclude } = JSON.parse(filter) as WatchFilter
    const replace = (rules: WatchFilter['include']) =>
      rules.map((rule) => (rule.field === 'uuid' ? { ...rule, pattern: move(rule.pattern) } : rule))
    const next = { include: replace(include), exclude: replace(exclude) }
    if (next.include.some(({ field, pattern }) => field === 'uuid' && isNew(pattern))) count += 1
    if (JSON.stringify(next) !== filter)
      await updateRows(rows, 'watch', { id }, { filter: JSON.stringify(next) })
  }
  return count
}

async function moveInSilences(rows: Rows, scope: WatchScope, move: Move, isNew: IsNew): Promise<number> {
  const open = { ...SCOPE.toRow(scope), ended_at: null }
  const found = await selectRows(rows, 'watch_silence', open).where('about', 'like', '%"uuid"%').execute()
  let count = 0
  for (const { id, about } of found) {
    // Cast: only Signalman writes this column.
    const subject = JSON.parse(about) as Extract<SilenceSubject, { kind: 'check' }>
    const next = { ...subject, uuid: move(subject.uuid) }
    if (isNew(next.uuid)) count += 1
    if (next.uuid !== subject.uuid)
      await updateRows(rows, 'watch_silence', { id }, { about: JSON.stringify(next) })
  }
  return count
}

async function moveInCases(
  rows: Rows,
  { workspaceId }: WatchScope,
  move: Move,
  isNew: IsNew,
): Promise<number> {
  const found = await selectRows(rows, 'threat_case', { workspace_id: workspaceId })
    .where('check_uuid', 'is not', null)
    .execute()
  let count = 0
  for (const { id, check_uuid } of found) {
    const next = move(check_uuid ?? '')
    if (isNew(next)) count += 1
    if (next !== check_uuid) await updateRows(rows, 'threat_case', { id }, { check_uuid: next })
  }
  return count
}
