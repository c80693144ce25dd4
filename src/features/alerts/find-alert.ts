import type { LookupResult } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { lastChange } from '../../bot/views/check-facts.ts'
import { quoted } from '../../domain/quoting.ts'
import { pluralize } from '../../domain/wording.ts'
import type { Alert, Alerts } from '../../service/alerts.ts'
import type { Api } from '../../service/service.ts'
import { sameMailboxes, sameRecipients } from './rules/recipients.ts'

/** The alert that a window shows. Kept in the window's state until it is submitted. */
export interface SeenAlert {
  uuid: string
  /** The name of the health check. */
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

/** Throws UserError if some recipients couldn't be read. Saving replaces the whole list, so it would silently remove them. */
function refuseUnreadable({ id, unreadable }: Alert): void {
  if (!unreadable) return
  throw new UserError(
    `Signalman can’t read ${unreadable} of the recipients of alert ${id}. Saving a change would remove them. Change this alert in the service instead.`,
  )
}

/** The current alert, if it is unchanged since the person saw it. Otherwise, throws UserError that says who changed it and when. */
export async function findUnchanged(api: Api, seen: SeenAlert, reopenLine: string): Promise<Alert> {
  const alert = await findAlert(api, seen.uuid, seen.id)
  refuseUnreadable(alert)
  if (sameRecipients(alert.recipients, seen.recipients) && alert.type === seen.type) return alert
  throw new UserError(
    `This alert was changed${lastChange(alert)} after you opened this window. It now has ${pluralize(alert.recipients.length, 'recipient')}. Your change wasn’t saved. Open the current version and try again.`,
    [{ label: 'Open current version', line: reopenLine }],
  )
}

type AlertReader = Pick<Alerts, 'list'>

/** Whether the service has created an alert with these recipients, besides those in `idsBefore`. Throws ApiError. */
export async function lookUpAdded(
  alerts: AlertReader,
  uuid: string,
  recipients: readonly string[],
  idsBefore: readonly string[],
): Promise<LookupResult<Alert>> {
  const earlierIds = new Set(idsBefore)
  const created = (await alerts.list(uuid)).find(
    (alert) => !earlierIds.has(alert.id) && sameMailboxes(alert.recipients, recipients),
  )
  return created ? { outcome: created } : 'not-done'
}

/** Whether the service has replaced the recipients of `before` with `recipients`. Throws ApiError. */
export async function lookUpChanged(
  alerts: AlertReader,
  uuid: string,
  before: Alert,
  recipients: readonly string[],
): Promise<LookupResult<Alert>> {
  const current = (await alerts.list(uuid)).find(({ id }) => id === before.id)
  if (!current) return 'unknown'
  if (sameMailboxes(current.recipients, recipients)) return { outcome: current }
  return sameMailboxes(current.recipients, before.recipients) ? 'not-done' : 'unknown'
}

/** Whether the service has removed the alert. Throws ApiError. */
export async function lookUpRemoved(
  alerts: AlertReader,
  uuid: string,
  id: string,
): Promise<LookupResult<void>> {
  const exists = (await alerts.list(uuid)).some((alert) => alert.id === id)
  return exists ? 'not-done' : { outcome: undefined }
}
