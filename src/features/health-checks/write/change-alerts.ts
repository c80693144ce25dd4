import type { ChangeAlerts } from '../../../bot/ports.ts'
import { toAlertBody } from '../rules/alert-requests.ts'
import { pickCheckSettings } from '../rules/settings.ts'
import { describeNotes, noteButtons } from '../views/notes.ts'
import { type SaveDeps, saveRow } from './save-row.ts'

/** Saves the alerts of a check as a window showed them: a row that changes no setting. */
export const createChangeAlerts =
  (deps: SaveDeps): ChangeAlerts =>
  async (context, { verb, account, check, alerts, to }) => {
    const { uuid, name } = check
    const before = { settings: pickCheckSettings(check), alerts }
    const edit = { do: 'edit', line: 1, name: name || uuid, uuid, before, set: {} } as const
    const row = { ...edit, alerts: to.map(toAlertBody) }
    const { reason, notes } = await saveRow(deps, context, { verb, account, row })
    return {
      said: [...(reason === undefined ? [] : [reason]), ...describeNotes(notes)],
      controls: noteButtons(notes, context.environment),
    }
  }
