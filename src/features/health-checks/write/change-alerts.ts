import type { ChangeAlerts } from '../../../bot/ports.ts'
import { toAlertBody } from '../rules/alert-requests.ts'
import { pickCheckSettings } from '../rules/settings.ts'
import { describeNotes, noteButtons } from '../views/notes.ts'
import { type SaveDeps, saveRow } from './save-row.ts'

/** Saves the alert of a window: a row that changes no setting, and no other alert. */
export const createChangeAlerts =
  (deps: SaveDeps): ChangeAlerts =>
  async (context, { verb, account, check, alerts, about, to }) => {
    const { uuid, name } = check
    const before = { settings: pickCheckSettings(check), alerts }
    const edit = { do: 'edit', line: 1, name: name || uuid, uuid, before, set: {} } as const
    const row = { ...edit, about, alerts: to.map(toAlertBody) }
    const { reason, notes } = await saveRow(deps, context, { verb, account, row })
    return {
      said: [...(reason === undefined ? [] : [reason]), ...describeNotes(notes)],
      controls: noteButtons(notes, context.environment),
    }
  }
