import { Notice } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { openForWindow, type WriteDeps } from '../../../bot/audit/hold-check.ts'
import type { WatchedChecks } from '../../../bot/ports.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { lastChange } from '../../../bot/views/check-facts.ts'
import { quoted } from '../../../domain/quoting.ts'
import { ApiError, isNotFound } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { readAlerts } from '../read-alerts.ts'
import { findAddressNote, type Row } from '../rules/row.ts'
import { applyPatch, listDiffering } from '../rules/settings.ts'
import { checkView, unreadView } from '../views/check.ts'
import { SkippedRow, writeInWindow } from './write-in-window.ts'

export interface EditDeps extends WriteDeps {
  readonly watched: WatchedChecks
}

type EditRow = Row & { do: 'edit' }

/** Saves the edit of one health check, and shows it. Doesn't overwrite what somebody else has changed since it was shown. */
export async function saveEdit(
  deps: EditDeps,
  context: CommandContext,
  change: { verb: string; account: string; row: EditRow },
): Promise<Message> {
  const { uuid, name, before, set, alerts: newAlerts } = change.row
  const writer = await openForWindow(deps, context, change.account)
  const { api } = writer
  const setsSettings = listDiffering(before.settings, applyPatch(before.settings, set)).length > 0
  const end =
    setsSettings || newAlerts
      ? await writeInWindow(writer, context, change).catch((error) => throwExplained(api, change.row, error))
      : undefined
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

/** If the row was skipped, says who has changed or deleted the check since it was shown. */
export async function throwExplained(
  { healthChecks }: Api,
  { uuid, set }: EditRow,
  skipped: unknown,
): Promise<never> {
  if (!(skipped instanceof SkippedRow)) throw skipped
  const check = await healthChecks.get(uuid).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (!check)
    throw new Notice('It was deleted after you saw it, so nothing was saved.', [
      { label: 'List health checks', line: '/hc list' },
    ])
  // The service says who changed a check last, not who changed its alerts.
  const setsNothing = Object.keys(set).length === 0
  throw new Notice(
    `It was changed${setsNothing ? '' : `${lastChange(check)},`} after you saw it, so nothing was saved. ${skipped.message}`,
    [{ label: 'Open current version', line: `/hc ${setsNothing ? 'alerts' : 'edit'} ${quoted(uuid)}` }],
  )
}
