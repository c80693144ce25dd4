import { type Database, type Rows, rowsIn, updateIn } from '@signalman/durable'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { MuteSubject, WatchFilter, WatchRule } from '../rules/watch.ts'
import { heldMutes, type ScopeOf, scopeColumns } from './row.ts'
import { turnOf } from './watch-work.ts'

export const carryChecks =
  ({ inTurn }: Database): CarryChecks =>
  async (scope, uuids) => {
    if (uuids.size === 0) return { watches: 0, mutes: 0 }
    const taken = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const fresh = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const carry: Carry = (uuid) => {
      const next = taken.get(uuid.toLowerCase()) ?? uuid
      return { next, isFresh: fresh.has(next.toLowerCase()) }
    }
    return inTurn(turnOf(scope.workspaceId), async (rows) => ({
      watches: (await carryWatches(rows, scope, carry)) + (await carryTakedowns(rows, scope, carry)),
      mutes: await carryMutes(rows, scope, carry),
    }))
  }

/** What stands in the place of what a row has now, and whether that names one of the new checks. */
type Carry = (known: string) => { next: string; isFresh: boolean }

/** Writes what becomes another. Returns how many name one of the new checks then. */
async function carryAll(
  all: readonly { id: string; known: string }[],
  carry: Carry,
  write: (id: string, next: string) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for (const { id, known } of all) {
    const { next, isFresh } = carry(known)
    if (isFresh) count += 1
    if (next !== known) await write(id, next)
  }
  return count
}

async function carryWatches(rows: Rows, scope: ScopeOf, carry: Carry): Promise<number> {
  const named = rowsIn(rows, 'watch', scopeColumns(scope)).where('filter', 'like', '%"uuid"%')
  const carryFilter: Carry = (known) => {
    let isFresh = false
    const carried = (rule: WatchRule): WatchRule => {
      if (rule.field !== 'uuid') return rule
      const { next: pattern, isFresh: isNew } = carry(rule.pattern)
      isFresh ||= isNew
      return { ...rule, pattern }
    }
    // Only this program writes it.
    const { include, exclude } = JSON.parse(known) as WatchFilter
    const next = JSON.stringify({ include: include.map(carried), exclude: exclude.map(carried) })
    return { next, isFresh }
  }
  const all = (await named.execute()).map(({ id, filter }) => ({ id, known: filter }))
  return carryAll(all, carryFilter, (id, filter) => updateIn(rows, 'watch', { id }, { filter }))
}

async function carryMutes(rows: Rows, scope: ScopeOf, carry: Carry): Promise<number> {
  const named = heldMutes(rows, scopeColumns(scope)).where('about', 'like', '%"uuid"%')
  const carrySubject: Carry = (known) => {
    // Only this program writes it.
    const about = JSON.parse(known) as Extract<MuteSubject, { kind: 'check' }>
    const { next: uuid, isFresh } = carry(about.uuid)
    return { next: JSON.stringify({ ...about, uuid }), isFresh }
  }
  const all = (await named.execute()).map(({ id, about }) => ({ id, known: about }))
  return carryAll(all, carrySubject, (id, about) => updateIn(rows, 'watch_mute', { id }, { about }))
}

async function carryTakedowns(rows: Rows, { workspaceId }: ScopeOf, carry: Carry): Promise<number> {
  const named = rowsIn(rows, 'takedown_watch', { workspace_id: workspaceId }).where('check_uuid', '<>', '')
  const all = (await named.execute()).map(({ id, check_uuid }) => ({ id, known: check_uuid }))
  return carryAll(all, carry, (id, check_uuid) => updateIn(rows, 'takedown_watch', { id }, { check_uuid }))
}
