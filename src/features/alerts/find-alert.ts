import type { Found } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { lastChange } from '../../bot/views/check-facts.ts'
import { quoted } from '../../domain/quoting.ts'
import { counted } from '../../domain/wording.ts'
import type { Alert, Alerts } from '../../service/alerts.ts'
import type { Api } from '../../service/service.ts'
import { sameMailboxes, sameRecipients } from './rules/recipients.ts'

/** An alert as a window shows it, remembered until the window is submitted. */
export interface SeenAlert {
  uuid: string
  /** The health check's. */
  name: string
  id: string
  type: string
  recipients: readonly string[]
}

/** The current alert. Throws UserError if the check no longer has it. */
export async function findAlert({ alerts }: Api, uuid: string, id: string): Promise<Alert> {
  const found = (await alerts.list(uuid)).find((alert) => alert.id === id)
  if (found) return found
  throw new UserError(`This health check has no alert ${id}. It may have been removed.`, [
    { label: 'Alerts', line: `/hc alerts ${quoted(uuid)}` },
  ])
}

/** An edit sends the whole list, which would silently drop a recipient that couldn't be read. Throws UserError. */
function refuseUnreadable({ id, unreadable }: Alert): void {
  if (!unreadable) return
  throw new UserError(
    `Signalman can’t read ${unreadable} of the recipients of alert ${id}. Saving a change would remove them, so please change this alert in the service.`,
  )
}

/** The alert, if it is still what the person saw. Throws UserError that says who changed it, and when. */
export async function findUnchanged(api: Api, seen: SeenAlert, again: string): Promise<Alert> {
  const alert = await findAlert(api, seen.uuid, seen.id)
  refuseUnreadable(alert)
  if (sameRecipients(alert.recipients, seen.recipients) && alert.type === seen.type) return alert
  throw new UserError(
    `This alert was changed${lastChange(alert)} after you opened this window. It now has ${counted(alert.recipients.length, 'recipient')}. Your change wasn’t saved. Open the current version and try again.`,
    [{ label: 'Open current version', line: again }],
  )
}

type Listing = Pick<Alerts, 'list'>

/** Whether the service has created an alert with these recipients, one that didn't exist `before`. Throws ApiError. */
export async function lookUpAdded(
  alerts: Listing,
  uuid: string,
  recipients: readonly string[],
  before: readonly string[],
): Promise<Found<Alert>> {
  const known = new Set(before)
  const made = (await alerts.list(uuid)).find(
    (alert) => !known.has(alert.id) && sameMailboxes(alert.recipients, recipients),
  )
  return made ? { outcome: made } : 'not-done'
}

/** Whether the service has given the alert these recipients, instead of those `before`. Throws ApiError. */
export async function lookUpChanged(
  alerts: Listing,
  uuid: string,
  before: Alert,
  recipients: readonly string[],
): Promise<Found<Alert>> {
  const now = (await alerts.list(uuid)).find(({ id }) => id === before.id)
  if (!now) return 'unknown'
  if (sameMailboxes(now.recipients, recipients)) return { outcome: now }
  return sameMailboxes(now.recipients, before.recipients) ? 'not-done' : 'unknown'
}

/** Whether the alert is gone. Throws ApiError. */
export async function lookUpRemoved(alerts: Listing, uuid: string, id: string): Promise<Found<void>> {
  const isThere = (await alerts.list(uuid)).some((alert) => alert.id === id)
  return isThere ? 'not-done' : { outcome: undefined }
}
