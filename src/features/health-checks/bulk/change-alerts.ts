import type { ChangeAlerts } from '../../../bot/ports.ts'
import { saveRow } from '../bulk/save-row.ts'
import type { BulkDeps } from '../bulk/start.ts'
import { toAlertBody } from '../rules/alert-requests.ts'
import { pickAlerts, type Row } from '../rules/row.ts'
import { pickCheckSettings } from '../rules/settings.ts'

/** Saves the alert of a window: a row that changes no setting, and no other alert. */
export const createChangeAlerts =
  (deps: BulkDeps): ChangeAlerts =>
  async (context, { verb, account, check, alerts, about, to }) => {
    const { uuid, name } = check
    const settings = pickCheckSettings(check)
    const edit = { do: 'edit', line: 1, name: name || uuid, uuid, set: {}, about } as const
    const seen: Row = { ...edit, before: { settings, alerts }, alerts: to.map(toAlertBody) }
    // Importing the file of what was before sets all alerts, so those that the window isn't about are as they are now.
    const now = await (await context.api()).alerts.list(uuid)
    const own = new Set(pickAlerts(seen, now))
    const before = [...pickAlerts(seen, alerts), ...now.filter((alert) => !own.has(alert))]
    const row = { ...seen, before: { settings, alerts: before } }
    return saveRow(deps, context, { verb, account, row })
  }
