import type { Alert } from '../../api/alerts.ts'
import type { Api } from '../../api/service.ts'
import { lastChange } from '../../blocks/checks.ts'
import { quoted } from '../../domain/quoting.ts'
import { counted } from '../../domain/wording.ts'
import { UserError } from '../../errors.ts'
import { sameRecipients } from './recipients.ts'

/** An alert as a window shows it, remembered until the window is sent in. */
export interface SeenAlert {
  uuid: string
  /** The health check's. */
  name: string
  id: string
  type: string
  recipients: readonly string[]
}

/** The alert as it is now. Throws UserError when the check has no such alert any more. */
export async function findAlert({ alerts }: Api, uuid: string, id: string): Promise<Alert> {
  const found = (await alerts.list(uuid)).find((alert) => alert.id === id)
  if (found) return found
  throw new UserError(`This health check has no alert ${id}: it was removed, or never was.`, [
    { label: 'Alerts', line: `/hc alerts ${quoted(uuid)}` },
  ])
}

/** An edit sends the whole list: without this, a recipient that could not be read would silently be dropped. Throws UserError. */
function refuseUnreadable({ id, unreadable }: Alert): void {
  if (!unreadable) return
  throw new UserError(
    `The service gives ${unreadable} of the recipients of alert ${id} in a form that is not understood here. Changing the others would take them out, so this alert can only be changed at the service itself.`,
  )
}

/** The alert, if it still is what the person saw. Throws UserError that says who has changed it, and when. */
export async function findUnchanged(api: Api, seen: SeenAlert, again: string): Promise<Alert> {
  // A window that an earlier version opened holds a number.
  const alert = await findAlert(api, seen.uuid, String(seen.id))
  refuseUnreadable(alert)
  if (sameRecipients(alert.recipients, seen.recipients) && alert.type === seen.type) return alert
  throw new UserError(
    `This alert was changed${lastChange(alert)}, after this window was opened: it has ${counted(alert.recipients.length, 'recipient')} now. That change was not overwritten. Open the alert as it is now and do it there.`,
    [{ label: 'Open it as it is now', line: again }],
  )
}
