import type { LookupResult } from '@signalman/durable'
import { checkKey, openForWindow, type WriteDeps } from '../../bot/audit/hold-check.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { AlertBody } from '../../service/alerts.ts'
import { findUnchanged, type SeenAlert } from './find-alert.ts'
import { sameRecipients } from './rules/recipients.ts'

/** A change of the alert that a window shows, or a new alert. */
interface AlertChange {
  /** For the audit log: `/hc alert-edit`. */
  readonly verb: string
  readonly window: Pick<SeenAlert, 'uuid' | 'name' | 'account'>
  /** What the alert was when the window was opened. Absent for a new alert. */
  readonly seen?: SeenAlert
  /** Absent for a removed alert. */
  readonly to?: AlertBody
}

const DONE = { outcome: undefined }

/**
 * Changes one alert, as one audited step that is looked up after a crash or a lost answer. Nobody else writes to the check between the
 * reading and the writing. Throws UserError and ApiError if nothing was changed, and OutcomeUnknown if nobody knows.
 */
export async function changeAlert(
  deps: WriteDeps,
  context: CommandContext,
  { verb, window: { uuid, name, account }, seen, to }: AlertChange,
): Promise<void> {
  const { api, hold } = await openForWindow(deps, context, account)
  const { alerts } = api
  // What there was before shows whether a new alert was added, even after a crash.
  const before = seen
    ? []
    : await context.once('alerts', async () => (await alerts.list(uuid)).map(({ id }) => id))
  const change = {
    verb,
    object: `health-check ${uuid}`,
    objectName: name,
    ...(seen && { before: { name, recipients: seen.recipients } }),
    ...(to && { after: { name, recipients: to.recipients } }),
    readsFirst: true,
    async lookUp(): Promise<LookupResult<void>> {
      const now = await alerts.list(uuid)
      const has = (wanted: AlertBody | undefined, ids: (id: string) => boolean) =>
        now.some(({ id, recipients }) => ids(id) && wanted && sameRecipients(recipients, wanted.recipients))
      if (!seen) return has(to, (id) => !before.includes(id)) ? DONE : 'not-done'
      if (!to) return now.some(({ id }) => id === seen.id) ? 'not-done' : DONE
      if (has(to, (id) => id === seen.id)) return DONE
      // Somebody else may have replaced what this change wrote.
      return has(seen, (id) => id === seen.id) ? 'not-done' : 'unknown'
    },
  }
  await context.change<void>(change, (begin) =>
    hold(checkKey(api, uuid), async ({ send }) => {
      if (seen) await findUnchanged(api, seen, verb)
      await begin(() =>
        send(async () => {
          if (!seen) await alerts.create(uuid, to ?? { type: 'EMAIL', recipients: [] })
          else if (to) await alerts.update(uuid, seen.id, to)
          else await alerts.delete(uuid, seen.id)
        }),
      )
    }),
  )
}
