import type { Alert } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkName } from '../../../blocks/checks.ts'
import { textInput } from '../../../blocks/inputs.ts'
import { section } from '../../../blocks/layout.ts'
import { oneLine } from '../../../blocks/text.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted } from '../../../domain/wording.ts'
import { UserError } from '../../../errors.ts'
import type { EphemeralState } from '../../../store/work/ephemeral-state.ts'
import { lookUpDelete } from '../look-up.ts'
import { writable } from '../server-address.ts'
import { deletedOf, keepForUndo } from '../undelete.ts'
import { targetOf } from '../views/rows.ts'
import { deletedView } from '../views/undo.ts'

interface CheckToDelete {
  uuid: string
  name: string
  goes: string
}

const FORM = 'health-checks.delete'

/** What goes with the check, in words. */
function goesWith(alerts: readonly Alert[]): string {
  const recipients = new Set(alerts.flatMap((alert) => alert.recipients)).size
  if (alerts.length === 0) return 'no alerts'
  const people = counted(recipients, 'recipient')
  return `${counted(alerts.length, 'alert')} with ${people}`
}

/** What cannot be read cannot be created again. Throws UserError. */
function refuseUnreadable(uuid: string, alerts: readonly Alert[]): void {
  if (!alerts.some(({ unreadable }) => unreadable)) return
  throw new UserError(
    'The service gives some of its alerts in a form that is not understood here, so that an undo could not bring them back. It can only be deleted at the service itself.',
    [{ label: 'Alerts', line: `/hc alerts ${quoted(uuid)}` }],
  )
}

/** Names the check and what goes with it; the person types the name, so that a click alone deletes nothing. Throws UserError. */
export function deleteModal(check: HealthCheck, alerts: readonly Alert[], isOte: boolean): Modal {
  refuseUnreadable(check.uuid, alerts)
  const name = oneLine(check.name) || check.uuid
  const about: CheckToDelete = { uuid: check.uuid, name, goes: goesWith(alerts) }
  return {
    title: 'Delete health check',
    form: { id: FORM, submit: 'Delete' },
    about,
    blocks: [
      section(
        `${checkName(check)}${isOte ? ' (OTE)' : ''}\n${targetOf(check)}\n\nIt is deleted, with ${about.goes}. It is no longer checked, and nobody is told when its target goes down. This can be undone for ten minutes.`,
      ),
      textInput('name', 'Type the name of the health check', { hint: name }),
    ],
  }
}

/** The form of `deleteModal`. What it takes away is kept for ten minutes. */
export function deleteForm(ephemeralState: EphemeralState): Form<string, CheckToDelete> {
  return {
    id: FORM,
    verb: '/hc delete',
    needs: 'operator',
    working: 'Deleting the health check…',
    keeps: true,
    read: (answers) => answers.text('name') ?? '',
    async submit(context, typed, { uuid, name, goes }) {
      if (oneLine(typed) !== name) throw new UserError(`That is not its name: type “${name}” to delete it.`)
      const { healthChecks, alerts } = await context.api()
      // Kept before it is deleted: for undo, and for whoever goes on after a crash.
      const [check, known] = await context.keep('check', () =>
        Promise.all([writable(healthChecks, uuid), alerts.list(uuid)]),
      )
      refuseUnreadable(uuid, known)
      if (goesWith(known) !== goes)
        throw new UserError(
          `Its alerts have changed since this window was opened: ${goesWith(known)} would go with it now, not ${goes}.`,
          [{ label: 'Open it again', line: `/hc delete ${quoted(uuid)}` }],
        )
      const undoId = await context.keep('undo', () => keepForUndo(ephemeralState, context, check, known))
      await context.change(
        {
          verb: '/hc delete',
          object: `health-check ${uuid}`,
          objectName: check.name,
          before: deletedOf(check, known),
          lookUp: () => lookUpDelete(healthChecks, uuid),
        },
        () => healthChecks.delete(uuid),
      )
      return deletedView(name, goes, undoId, context.environment)
    },
  }
}
