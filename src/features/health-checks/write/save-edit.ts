import type { Message } from '@signalman/slack'
import type { WriteDeps } from '../../../bot/audit/hold-check.ts'
import type { WatchedChecks } from '../../../bot/ports.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { ApiError } from '../../../service/errors.ts'
import { readAlerts } from '../read-alerts.ts'
import { findAddressNote, type Row } from '../rules/row.ts'
import { applyPatch, listDiffering } from '../rules/settings.ts'
import { checkView, unreadView } from '../views/check.ts'
import { type CheckChange, requireAccount, saveRow } from './save-row.ts'

export interface EditDeps extends WriteDeps {
  readonly watched: WatchedChecks
}

/** Saves the edit of one health check, and shows it. Doesn't overwrite what somebody else has changed since it was shown. */
export async function saveEdit(
  deps: EditDeps,
  context: CommandContext,
  change: CheckChange<Row & { do: 'edit' }>,
): Promise<Message> {
  const { uuid, name, before, set, alerts: newAlerts } = change.row
  const api = await requireAccount(context, change.account)
  const setsSettings = listDiffering(before.settings, applyPatch(before.settings, set)).length > 0
  const end = setsSettings || newAlerts ? await saveRow(deps, context, change) : undefined
  const said = end ? (end.reason ?? 'Saved.') : 'Nothing was different, so nothing was saved.'
  const read = await Promise.all([api.healthChecks.get(uuid), readAlerts(api, uuid)]).catch((error) => {
    if (end && error instanceof ApiError) return undefined
    throw error
  })
  if (!read) return unreadView(context.environment, { uuid, said, undo: end?.undo })
  const [check, alerts] = read
  const note = end && setsSettings ? findAddressNote(change.row, end.kept, check) : undefined
  const renamed = await (check.name === name ? undefined : deps.watched.describeRename(context, check, name))
  return checkView(check, alerts, context.environment, context.now, {
    done: [said, renamed].filter((line) => line !== undefined),
    note,
    undo: end?.undo,
  })
}
