import { type Database, type Rows, rowsIn, updateIn } from '@signalman/durable'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { WatchFilter, WatchRule } from '../rules/watch.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { selectOpenSilences } from './silences.ts'
import { workspaceTurn } from './watch-work.ts'

export const carryChecks =
  ({ inTurn }: Database): CarryChecks =>
  async (scope, uuids) => {
    if (uuids.size === 0) return { watches: 0, silences: 0 }
    const newIds = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const fresh = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const carry: ReplaceCheck = (known) => {
      const uuid = newIds.get(known.uuid.toLowerCase()) ?? known.uuid
      return { next: { ...known, uuid }, isFresh: fresh.has(uuid.toLowerCase()) }
    }
    return inTurn(workspaceTurn(scope.workspaceId), async (rows) => {
      const { watches, silences } = await replaceNamedChecks(rows, scope, carry)
      return { watches: watches + (await replaceInThreatCases(rows, scope, carry)), silences }
    })
  }

/** The UUIDs, in lower case, of checks that watches and silences name. */
export async function readNamedChecks(rows: Rows, scope: WatchScope): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  await replaceNamedChecks(rows, scope, (known) => {
    found.add(known.uuid.toLowerCase())
    return { next: known }
  })
  return found
}

/** Updates stored names to the checks' current names, by UUID in lower case. */
export const renameChecks = (rows: Rows, scope: WatchScope, names: ReadonlyMap<string, string>) =>
  replaceNamedChecks(rows, scope, (known) => ({
    next: { ...known, name: names.get(known.uuid.toLowerCase()) ?? known.name },
  }))

/** A check as stored in a filter or silence. */
interface NamedCheck {
  readonly uuid: string
  readonly name?: string | undefined
}

/** Returns the replacement for a check, and whether it is one of the new ones. */
type ReplaceCheck = (known: NamedCheck) => { readonly next: NamedCheck; readonly isFresh?: boolean }

/**
 * Applies a replacement to every watch and silence of a scope that names checks by UUID. Counts those that name a new check
 * afterwards.
 */
async function replaceNamedChecks(rows: Rows, scope: WatchScope, carry: ReplaceCheck) {
  const watches = await replaceInWatches(rows, scope, carry)
  const silences = selectOpenSilences(rows, scope.workspaceId).where('environment', '=', scope.environment)
  const named = await silences.where('about', 'like', '%"uuid"%').execute()
  return { watches, silences: await replaceInSilences(rows, named, carry) }
}

/** Writes rows that changed. Returns how many name a new check afterwards. */
async function replaceAll(
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

async function replaceInWatches(rows: Rows, scope: WatchScope, carry: ReplaceCheck): Promise<number> {
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
  return replaceAll(all, carryFilter, (id, filter) => updateIn(rows, 'watch', { id }, { filter }))
}

function replaceInSilences(
  rows: Rows,
  named: readonly { id: string; about: string }[],
  carry: ReplaceCheck,
): Promise<number> {
  const carrySubject = (known: string) => {
    // Only this program writes it.
    const about = JSON.parse(known) as Extract<SilenceSubject, { kind: 'check' }>
    const { next, isFresh = false } = carry(about)
    return { next: JSON.stringify({ ...about, ...next }), isFresh }
  }
  const all = named.map(({ id, about }) => ({ id, known: about }))
  return replaceAll(all, carrySubject, (id, about) => updateIn(rows, 'watch_silence', { id }, { about }))
}

async function replaceInThreatCases(
  rows: Rows,
  { workspaceId }: WatchScope,
  carry: ReplaceCheck,
): Promise<number> {
  const named = rowsIn(rows, 'threat_case', { workspace_id: workspaceId }).where('check_uuid', 'is not', null)
  const all = (await named.execute()).map(({ id, check_uuid }) => ({ id, known: check_uuid ?? '' }))
  const carryUuid = (uuid: string) => {
    const { next, isFresh = false } = carry({ uuid })
    return { next: next.uuid, isFresh }
  }
  return replaceAll(all, carryUuid, (id, check_uuid) => updateIn(rows, 'threat_case', { id }, { check_uuid }))
}
