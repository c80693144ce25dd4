import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { AlertBody } from '../../service/alerts.ts'
import { sameRecipients } from './rules/recipients.ts'

interface AlertChange {
  /** For the audit log: `/hc alert-edit`. */
  readonly verb: string
  /** The account that the window was opened under. Under another one, nothing is sent. */
  readonly account: string
  readonly check: { readonly uuid: string; readonly name: string }
  /** Absent for a new alert. */
  readonly from?: AlertBody & { readonly id: string }
  /** Absent for a removed alert. */
  readonly to?: AlertBody
}

/**
 * Changes one alert, as one audited step that is looked up after a crash or a lost answer. Throws UserError and ApiError if nothing was
 * changed, and OutcomeUnknown if nobody knows.
 */
export async function changeAlert(
  context: CommandContext,
  { verb, account, check: { uuid, name }, from, to }: AlertChange,
): Promise<void> {
  const { account: connected, alerts } = await context.api()
  if (connected !== account)
    throw new UserError(
      'Signalman is connected with another token than when this window was opened. Nothing was sent. Open the window again.',
    )
  // What there was before shows whether a new alert was added, even after a crash.
  const before = from
    ? []
    : await context.remember('alerts', async () => (await alerts.list(uuid)).map(({ id }) => id))
  await context.change<void>(
    {
      verb,
      object: `health-check ${uuid}`,
      objectName: name,
      ...(from && { before: { name, recipients: from.recipients } }),
      ...(to && { after: { name, recipients: to.recipients } }),
      async lookUp() {
        const now = await alerts.list(uuid)
        const alert = now.find(({ id }) => (from ? id === from.id : !before.includes(id)))
        const isDone = to ? alert && sameRecipients(alert.recipients, to.recipients) : !alert
        return isDone ? { outcome: undefined } : 'not-done'
      },
    },
    async () => {
      if (!from) await alerts.create(uuid, to ?? { type: 'EMAIL', recipients: [] })
      else if (to) await alerts.update(uuid, from.id, to)
      else await alerts.delete(uuid, from.id)
    },
  )
}
