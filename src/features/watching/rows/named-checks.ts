import { type Database, type Rows, selectRows, updateRows } from '@signalman/durable'
import type { MoveWatches } from '../../../domain/outages/move-watches.ts'
import { type SilenceSubject, toSubjectKey } from '../rules/silence.ts'
import type { WatchFilter, WatchRule } from '../rules/watch.ts'
import type { SILENCE } from './columns.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { selectOpenSilences } from './silences.ts'
import { watchingLock } from './watch-work.ts'

/**
 * When checks were recreated with new UUIDs, updates the watches and silences that refer to them. `uuids` maps old UUIDs to new ones.
 * Returns how many now refer to a new check.
 */
export const createMoveWatches =
  ({ withLock }: Database): MoveWatches =>
  async (scope, uuids) => {
    if (uuids.size === 0) return { watches: 0, silences: 0 }
    const newUuidByOld = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const newUuids = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const replaceCheck: ReplaceCheck = (check) => {
      const uuid = newUuidByOld.get(check.uuid.toLowerCase()) ?? check.uuid
      return { next: { ...check, uuid }, isNewCheck: newUuids.has(uuid.toLowerCase()) }
    }
    return withLock(watchingLock(scope.workspaceId), (rows) => replaceNamedChecks(rows, scope, replaceCheck))
  }

/** The UUIDs, in lower case, of the checks that watches and silences refer to. */
export async function readNamedChecks(rows: Rows, scope: WatchScope): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  // Each check is replaced with itself, so nothing is written.
  await replaceNamedChecks(rows, scope, (check) => {
    found.add(check.uuid.toLowerCase())
    return { next: check }
  })
  return found
}

/** Updates the check names stored in watches and silences. `names` has the current names by UUID in lower case. */
export const renameChecks = (rows: Rows, scope: WatchScope, names: ReadonlyMap<string, string>) =>
  replaceNamedChecks(rows, scope, (check) => ({
    next: { ...check, name: names.get(check.uuid.toLowerCase()) ?? check.name },
  }))

/** A check as stored in a filter or silence. */
interface NamedCheck {
  readonly uuid: string
  readonly name?: string | undefined
}

/** Returns what to store in place of a check, and whether that refers to a new check. */
type ReplaceCheck = (check: NamedCheck) => { readonly next: NamedCheck; readonly isNewCheck?: boolean }

/**
 * Replaces the checks that a scope's watches and silences refer to by UUID. Returns how many of each then refer to a new check.
 */
async function replaceNamedChecks(rows: Rows, scope: WatchScope, replaceCheck: ReplaceCheck) {
  const watches = await replaceInWatches(rows, scope, replaceCheck)
  const silences = selectOpenSilences(rows, scope.workspaceId).where('environment', '=', scope.environment)
  const candidates = await silences.where('about', 'like', '%"uuid"%').execute()
  return { watches, silences: await replaceInSilences(rows, candidates, replaceCheck) }
}

/** Replaces the stored value of each item, and writes those that changed. Returns how many then refer to a new check. */
async function replaceAll(
  items: readonly { id: string; stored: string }[],
  replace: (stored: string) => { next: string; isNewCheck: boolean },
  write: (id: string, next: string) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for (const { id, stored } of items) {
    const { next, isNewCheck } = replace(stored)
    if (isNewCheck) count += 1
    if (next !== stored) await write(id, next)
  }
  return count
}

async function replaceInWatches(rows: Rows, scope: WatchScope, replaceCheck: ReplaceCheck): Promise<number> {
  const candidates = selectRows(rows, 'watch', scopeColumns(scope)).where('filter', 'like', '%"uuid"%')
  const replaceInFilter = (stored: string) => {
    let hasNewCheck = false
    const replaceInRule = (rule: WatchRule): WatchRule => {
      if (rule.field !== 'uuid') return rule
      const { next, isNewCheck = false } = replaceCheck({ uuid: rule.pattern, name: rule.label })
      hasNewCheck ||= isNewCheck
      return { ...rule, pattern: next.uuid, label: next.name }
    }
    // Cast: only Signalman writes this column.
    const { include, exclude } = JSON.parse(stored) as WatchFilter
    const next = JSON.stringify({ include: include.map(replaceInRule), exclude: exclude.map(replaceInRule) })
    return { next, isNewCheck: hasNewCheck }
  }
  const items = (await candidates.execute()).map(({ id, filter }) => ({ id, stored: filter }))
  return replaceAll(items, replaceInFilter, (id, filter) => updateRows(rows, 'watch', { id }, { filter }))
}

function replaceInSilences(
  rows: Rows,
  candidates: readonly SilenceRow[],
  replaceCheck: ReplaceCheck,
): Promise<number> {
  const replaceInSubject = (stored: string) => {
    // Cast: only Signalman writes this column.
    const subject = JSON.parse(stored) as Extract<SilenceSubject, { kind: 'check' }>
    const { next, isNewCheck = false } = replaceCheck(subject)
    return { next: JSON.stringify({ ...subject, ...next }), isNewCheck }
  }
  const items = candidates.map(({ id, about }) => ({ id, stored: about }))
  return replaceAll(items, replaceInSubject, async (id, about) => {
    // Cast: `replaceInSubject` returned it.
    const subject_key = toSubjectKey(JSON.parse(about) as SilenceSubject)
    await endOlderMute(
      rows,
      candidates.find((candidate) => candidate.id === id),
      subject_key,
    )
    await updateRows(rows, 'watch_silence', { id }, { about, subject_key })
  })
}

type SilenceRow = ReturnType<typeof SILENCE.toRow>

/** A place has one mute of a check. If a moved mute finds one of the new check there, the older of the two ends. */
async function endOlderMute(rows: Rows, moved: SilenceRow | undefined, subject_key: string): Promise<void> {
  if (moved?.kind !== 'mute') return
  const { workspace_id, environment, channel_id } = moved
  const samePlace = { workspace_id, environment, channel_id, kind: 'mute' as const, subject_key }
  const others = selectRows(rows, 'watch_silence', samePlace).where('id', '<>', moved.id)
  const other = await others.where('state', '<>', 'over').executeTakeFirst()
  if (!other) return
  const [older, newer] = other.made_at < moved.made_at ? [other, moved] : [moved, other]
  await updateRows(rows, 'watch_silence', { id: older.id }, { state: 'over', to_at: newer.made_at })
}
