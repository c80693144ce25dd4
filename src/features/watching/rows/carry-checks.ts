import { type Database, type Rows, rowsIn, updateIn } from '@signalman/durable'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { WatchFilter, WatchRule } from '../rules/watch.ts'
import { type ScopeOf, scopeColumns } from './row.ts'
import { openSilences } from './silences.ts'
import { turnOf } from './watch-work.ts'

export const carryChecks =
  ({ inTurn }: Database): CarryChecks =>
  async (scope, uuids) => {
    if (uuids.size === 0) return { watches: 0, silences: 0 }
    const taken = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const fresh = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const carry: Carry = (known) => {
      const uuid = taken.get(known.uuid.toLowerCase()) ?? known.uuid
      return { next: { ...known, uuid }, isFresh: fresh.has(uuid.toLowerCase()) }
    }
    return inTurn(turnOf(scope.workspaceId), async (rows) => {
      const { watches, silences } = await carryNamed(rows, scope, carry)
      return { watches: watches + (await carryTakedowns(rows, scope, carry)), silences }
    })
  }

/** The UUIDs, in lower case, by which watches and silences of a scope name checks. */
export async function namedChecks(rows: Rows, scope: ScopeOf): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  await carryNamed(rows, scope, (known) => {
    found.add(known.uuid.toLowerCase())
    return { next: known }
  })
  return found
}

/** Lets them have the names that checks have by now, by UUIDs in lower case. */
export const renameChecks = (rows: Rows, scope: ScopeOf, names: ReadonlyMap<string, string>) =>
  carryNamed(rows, scope, (known) => ({
    next: { ...known, name: names.get(known.uuid.toLowerCase()) ?? known.name },
  }))

/** A check, as a row names it. */
interface Named {
  readonly uuid: string
  readonly name?: string | undefined
}

/** What stands in the place of a check now, and whether that is one of the new ones. */
type Carry = (known: Named) => { readonly next: Named; readonly isFresh?: boolean }

/** All rows that name checks by their UUIDs. Returns how many of each kind name one of the new ones then. */
async function carryNamed(rows: Rows, scope: ScopeOf, carry: Carry) {
  const watches = await carryWatches(rows, scope, carry)
  const silences = openSilences(rows, scope.workspaceId).where('environment', '=', scope.environment)
  const named = await silences.where('about', 'like', '%"uuid"%').execute()
  return { watches, silences: await carrySubjects(rows, named, carry) }
}

/** Writes what becomes another. Returns how many name one of the new checks then. */
async function carryAll(
  all: readonly { id: string; known: string }[],
  carry: (known: string) => { next: string; isFresh: boolean },
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
  const carryFilter = (known: string) => {
    let isFresh = false
    const carried = (rule: WatchRule): WatchRule => {
      if (rule.field !== 'uuid') return rule
      const { next, isFresh: isNew = false } = carry({ uuid: rule.pattern, name: rule.label })
      isFresh ||= isNew
      return { ...rule, pattern: next.uuid, label: next.name }
    }
    // Only this program writes it.
    const { include, exclude } = JSON.parse(known) as WatchFilter
    const next = JSON.stringify({ include: include.map(carried), exclude: exclude.map(carried) })
    return { next, isFresh }
  }
  const all = (await named.execute()).map(({ id, filter }) => ({ id, known: filter }))
  return carryAll(all, carryFilter, (id, filter) => updateIn(rows, 'watch', { id }, { filter }))
}

function carrySubjects(
  rows: Rows,
  named: readonly { id: string; about: string }[],
  carry: Carry,
): Promise<number> {
  const carrySubject = (known: string) => {
    // Only this program writes it.
    const about = JSON.parse(known) as Extract<SilenceSubject, { kind: 'check' }>
    const { next, isFresh = false } = carry(about)
    return { next: JSON.stringify({ ...about, ...next }), isFresh }
  }
  const all = named.map(({ id, about }) => ({ id, known: about }))
  return carryAll(all, carrySubject, (id, about) => updateIn(rows, 'watch_silence', { id }, { about }))
}

async function carryTakedowns(rows: Rows, { workspaceId }: ScopeOf, carry: Carry): Promise<number> {
  const named = rowsIn(rows, 'threat_case', { workspace_id: workspaceId }).where('check_uuid', 'is not', null)
  const all = (await named.execute()).map(({ id, check_uuid }) => ({ id, known: check_uuid ?? '' }))
  const carryUuid = (uuid: string) => {
    const { next, isFresh = false } = carry({ uuid })
    return { next: next.uuid, isFresh }
  }
  return carryAll(all, carryUuid, (id, check_uuid) => updateIn(rows, 'threat_case', { id }, { check_uuid }))
}
