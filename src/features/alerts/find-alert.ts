import { UserError } from '@signalman/runtime'
import { checkName, lastChange } from '../../bot/views/check-facts.ts'
import { quoted } from '../../domain/quoting.ts'
import { pluralize } from '../../domain/wording.ts'
import type { Alert } from '../../service/alerts.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'
import { sameRecipients } from './rules/recipients.ts'

/** The alert that a window shows. Kept in the window's state until it is submitted. */
export interface SeenAlert {
  uuid: string
  /** The name of the health check. */
  name: string
  /** The account that the check belongs to. */
  account: string
  id: string
  type: string
  recipients: readonly string[]
}

export const toSeenAlert = (
  check: HealthCheck,
  { id, type, recipients }: Alert,
  account: string,
): SeenAlert => ({ uuid: check.uuid, name: checkName(check), account, id, type, recipients })

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

/** Throws UserError that says who changed the alert and when, if it isn't as the person saw it. `verb` opens the window again. */
export async function findUnchanged(api: Api, seen: SeenAlert, verb: string): Promise<void> {
  const alert = await findAlert(api, seen.uuid, seen.id)
  refuseUnreadable(alert)
  if (sameRecipients(alert.recipients, seen.recipients) && alert.type === seen.type) return
  throw new UserError(
    `This alert was changed${lastChange(alert)} after you opened this window. It now has ${pluralize(alert.recipients.length, 'recipient')}. Your change wasn’t saved. Open the current version and try again.`,
    [{ label: 'Open current version', line: `${verb} ${quoted(seen.uuid)} ${seen.id}` }],
  )
}
