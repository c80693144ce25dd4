import type { Alert, Alerts } from '../../api/alerts.ts'
import type { Found } from '../../work/act.ts'
import { sameRecipients } from './recipients.ts'

type Listing = Pick<Alerts, 'list'>

/** Whether the service has made an alert for these recipients: one that was not there `before`. Throws ApiError. */
export async function lookUpAdded(
  alerts: Listing,
  uuid: string,
  recipients: readonly string[],
  before: readonly (string | number)[],
): Promise<Found<Alert>> {
  // An earlier version has kept numbers, here and below.
  const known = new Set(before.map(String))
  const made = (await alerts.list(uuid)).find(
    (alert) => !known.has(alert.id) && sameRecipients(alert.recipients, recipients),
  )
  return made ? { outcome: made } : 'not-done'
}

/** Whether the service has given the alert these recipients, in place of what it had `before`. Throws ApiError. */
export async function lookUpChanged(
  alerts: Listing,
  uuid: string,
  before: Alert,
  recipients: readonly string[],
): Promise<Found<Alert>> {
  const now = (await alerts.list(uuid)).find(({ id }) => id === String(before.id))
  if (!now) return 'unknown'
  if (sameRecipients(now.recipients, recipients)) return { outcome: now }
  return sameRecipients(now.recipients, before.recipients) ? 'not-done' : 'unknown'
}

/** Whether the alert is gone. Throws ApiError. */
export async function lookUpRemoved(alerts: Listing, uuid: string, id: string): Promise<Found<void>> {
  const isThere = (await alerts.list(uuid)).some((alert) => alert.id === String(id))
  return isThere ? 'not-done' : { outcome: undefined }
}
