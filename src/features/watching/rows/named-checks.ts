import { type Rows, selectRows, updateRows } from '@signalman/durable'
import type { SilenceSubject } from '../rules/silence.ts'
import type { WatchFilter, WatchRule } from '../rules/watch.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { selectOpenSilences } from './silences.ts'

/** The UUIDs, in lower case, of the checks that watches and silences refer to. */
export async function readNamedChecks(rows: Rows, scope: WatchScope): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  // Each check is replaced with itself, so nothing is written.
  await replaceNamedChecks(rows, scope, (check) => {
    found.add(check.uuid.toLowerCase())
    return check
  })
  return found
}

/** Updates the check names stored in watches and silences. `names` has the current names by UUID in lower case. */
export const renameChecks = (rows: Rows, scope: WatchScope, names: ReadonlyMap<string, string>) =>
  replaceNamedChecks(rows, scope, (check) => ({
    ...check,
    name: names.get(check.uuid.toLowerCase()) ?? check.name,
  }))

/** A check as stored in a filter or silence. */
interface NamedCheck {
  readonly uuid: string
  readonly name?: string | undefined
}

/** Returns what to store in place of a check. */
type ReplaceCheck = (check: NamedCheck) => NamedCheck

/** Replaces the checks that a scope's watches and silences refer to by UUID. */
async function replaceNamedChecks(rows: Rows, scope: WatchScope, replaceCheck: ReplaceCheck): Promise<void> {
  const watches = selectRows(rows, 'watch', scopeColumns(scope)).where('filter', 'like', '%"uuid"%')
  const replaceInRule = (rule: WatchRule): WatchRule => {
    if (rule.field !== 'uuid') return rule
    const next = replaceCheck({ uuid: rule.pattern, name: rule.label })
    return { ...rule, pattern: next.uuid, label: next.name }
  }
  for (const { id, filter: stored } of await watches.execute()) {
    // Cast: only Signalman writes this column.
    const { include, exclude } = JSON.parse(stored) as WatchFilter
    const filter = JSON.stringify({
      include: include.map(replaceInRule),
      exclude: exclude.map(replaceInRule),
    })
    if (filter !== stored) await updateRows(rows, 'watch', { id }, { filter })
  }
  const silences = selectOpenSilences(rows, scope.workspaceId).where('environment', '=', scope.environment)
  for (const { id, about: stored } of await silences.where('about', 'like', '%"uuid"%').execute()) {
    // Cast: only Signalman writes this column.
    const subject = JSON.parse(stored) as Extract<SilenceSubject, { kind: 'check' }>
    const about = JSON.stringify({ ...subject, ...replaceCheck(subject) })
    if (about !== stored) await updateRows(rows, 'watch_silence', { id }, { about })
  }
}
