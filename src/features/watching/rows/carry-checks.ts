import { type Database, type Rows, selectRows, updateRows } from '@signalman/durable'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { WatchFilter, WatchRule } from '../rules/watch.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { selectOpenSilences } from './silences.ts'
import { workspaceTurn } from './watch-work.ts'

/**
 * Replaces the UUIDs of checks that were created again, in watches, silences, and threat cases. Returns how many of them name a
 * new check.
 */
export const carryChecks =
  ({ withLock }: Database): CarryChecks =>
  async (scope, uuids) => {
    if (uuids.size === 0) return { watches: 0, silences: 0 }
    const newIds = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const newUuids = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const carry: ReplaceCheck = (check) => {
      const uuid = newIds.get(check.uuid.toLowerCase()) ?? check.uuid
      return { next: { ...check, uuid }, isFresh: newUuids.has(uuid.toLowerCase()) }
    }
    return withLock(workspaceTurn(scope.workspaceId), async (rows) => {
      const { watches, silences } = await replaceNamedChecks(rows, scope, carry)
      return { watches: watches + (await replaceInThreatCases(rows, scope, carry)), silences }
    })
  }

/** The UUIDs, in lower case, of checks that watches and silences name. */
export async function readNamedChecks(rows: Rows, scope: WatchScope): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  await replaceNamedChecks(rows, scope, (check) => {
    found.add(check.uuid.toLowerCase())
    return { next: check }
  })
  return found
}

/** Updates stored names to the checks' current names, by UUID in lower case. */
export const renameChecks = (rows: Rows, scope: WatchScope, names: ReadonlyMap<string, string>) =>
  replaceNamedChecks(rows, scope, (check) => ({
    next: { ...check, name: names.get(check.uuid.toLowerCase()) ?? check.name },
  }))

/** A check as stored in a filter or silence. */
interface NamedCheck {
  readonly uuid: string
  readonly name?: string | undefined
}

/** Returns the replacement for a check, and whether that is a new check. */
type ReplaceCheck = (check: NamedCheck) => { readonly next: NamedCheck; readonly isFresh?: boolean }

/**
 * Replaces checks in every watch and silence of a scope that names them by UUID. Returns how many name a new check
 * afterwards.
 */
async function replaceNamedChecks(rows: Rows, scope: WatchScope, carry: ReplaceCheck) {
  const watches = await replaceInWatches(rows, scope, carry)
  const silences = selectOpenSilences(rows, scope.workspaceId).where('environment', '=', scope.environment)
  const naming = await silences.where('about', 'like', '%"uuid"%').execute()
  return { watches, silences: await replaceInSilences(rows, naming, carry) }
}

/** Writes rows that changed. Returns how many name a new check afterwards. */
async function replaceAll(
  all: readonly { id: string; stored: string }[],
  carry: (stored: string) => { next: string; isFresh: boolean },
  write: (id: string, next: string) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for (const { id, stored } of all) {
    const { next, isFresh } = carry(stored)
    if (isFresh) count += 1
    if (next !== stored) await write(id, next)
  }
  return count
}

async function replaceInWatches(rows: Rows, scope: WatchScope, carry: ReplaceCheck): Promise<number> {
  const naming = selectRows(rows, 'watch', scopeColumns(scope)).where('filter', 'like', '%"uuid"%')
  const carryFilter = (stored: string) => {
    let isFresh = false
    const carried = (rule: WatchRule): WatchRule => {
      if (rule.field !== 'uuid') return rule
      const { next, isFresh: isNew = false } = carry({ uuid: rule.pattern, name: rule.label })
      isFresh ||= isNew
      return { ...rule, pattern: next.uuid, label: next.name }
    }
    // Only this program writes it.
    const { include, exclude } = JSON.parse(stored) as WatchFilter
    const next = JSON.stringify({ include: include.map(carried), exclude: exclude.map(carried) })
    return { next, isFresh }
  }
  const all = (await naming.execute()).map(({ id, filter }) => ({ id, stored: filter }))
  return replaceAll(all, carryFilter, (id, filter) => updateRows(rows, 'watch', { id }, { filter }))
}

function replaceInSilences(
  rows: Rows,
  naming: readonly { id: string; about: string }[],
  carry: ReplaceCheck,
): Promise<number> {
  const carrySubject = (stored: string) => {
    // Only this program writes it.
    const about = JSON.parse(stored) as Extract<SilenceSubject, { kind: 'check' }>
    const { next, isFresh = false } = carry(about)
    return { next: JSON.stringify({ ...about, ...next }), isFresh }
  }
  const all = naming.map(({ id, about }) => ({ id, stored: about }))
  return replaceAll(all, carrySubject, (id, about) => updateRows(rows, 'watch_silence', { id }, { about }))
}

async function replaceInThreatCases(
  rows: Rows,
  { workspaceId }: WatchScope,
  carry: ReplaceCheck,
): Promise<number> {
  const naming = selectRows(rows, 'threat_case', { workspace_id: workspaceId }).where(
    'check_uuid',
    'is not',
    null,
  )
  const all = (await naming.execute()).map(({ id, check_uuid }) => ({ id, stored: check_uuid ?? '' }))
  const carryUuid = (uuid: string) => {
    const { next, isFresh = false } = carry({ uuid })
    return { next: next.uuid, isFresh }
  }
  return replaceAll(all, carryUuid, (id, check_uuid) =>
    updateRows(rows, 'threat_case', { id }, { check_uuid }),
  )
}
