import { UserError } from '@signalman/runtime'
import { clip, oneLine, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted } from '../../../domain/wording.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { prepare } from '../changes/make-change.ts'
import { makeOnce } from '../changes/make-once.ts'
import { noteUndoable } from '../changes/places.ts'
import { keepForUndo, UNDO_MS, type UndoParts } from '../changes/undo.ts'
import { deletedView } from '../changes/views.ts'
import { targetOf } from '../views/check.ts'

interface CheckToDelete {
  uuid: string
  name: string
  goes: string
}

/** What goes with the check, in words. */
function goesWith(alerts: readonly AlertBody[]): string {
  const recipients = new Set(alerts.flatMap((alert) => alert.recipients)).size
  if (alerts.length === 0) return 'no alerts'
  const people = counted(recipients, 'recipient')
  return `${counted(alerts.length, 'alert')} with ${people}`
}

/** What cannot be read cannot be created again. */
const unreadable = (uuid: string): UserError =>
  new UserError(
    'The service gives some of its alerts in a form that is not understood here, so that an undo could not bring them back. It can only be deleted at the service itself.',
    [{ label: 'Alerts', line: `/hc alerts ${quoted(uuid)}` }],
  )

/**
 * Names the check and what goes with it; the person types the name, so that a click alone deletes nothing. What it takes away
 * is kept for ten minutes. Throws UserError.
 */
export const deleteForm = form({
  id: 'health-checks.delete',
  title: 'Delete health check',
  button: 'Delete',
  verb: '/hc delete',
  needs: 'operator',
  working: 'Deleting the health check…',
  alsoSendsResult: true,
  asks(environment, check: HealthCheck, alerts: readonly Alert[]) {
    if (alerts.some((alert) => alert.unreadable)) throw unreadable(check.uuid)
    const name = oneLine(check.name) || check.uuid
    const about: CheckToDelete = { uuid: check.uuid, name, goes: goesWith(alerts) }
    return {
      about,
      blocks: [
        section(
          `Deletes ${checkName(check)}${badgeOf(environment)} (${targetOf(check)}), with ${about.goes}. It is no longer checked, and nobody is told when its target goes down. This can be undone for ten minutes.`,
        ),
        textInput('name', 'Type the name of the health check', { hint: name }),
      ],
    }
  },
  read: (answers) => answers.text('name') ?? '',
  async submit(context, typed, { uuid, name, goes }, parts: Pick<UndoParts, 'ephemeralState'>) {
    if (oneLine(typed) !== name) throw new UserError(`That is not its name: type “${name}” to delete it.`)
    const api = await context.api()
    // Kept before it is deleted: for undo, and for whoever goes on after a crash.
    const prepared = await context.keep('check', () => prepare(api, { do: 'delete', uuid, name }))
    if (prepared.state === 'found')
      throw new UserError('It is no longer there: somebody else has deleted it.')
    const { change } = prepared
    if (prepared.state !== 'ready' || change.do !== 'delete' || !change.before) throw unreadable(uuid)
    const now = goesWith(change.before.alerts)
    if (now !== goes)
      throw new UserError(
        `Its alerts have changed since this window was opened: ${now} would go with it now, not ${goes}.`,
        [{ label: 'Open it again', line: `/hc delete ${quoted(uuid)}` }],
      )
    const undoId = await context.keep('undo', () => keepForUndo(parts, context, api, change))
    await makeOnce(context, api, prepared, { verb: '/hc delete' })
    const says = `Deleted “${clip(name, 150)}”${badgeOf(context.environment)}, with ${goes}`
    const done = { says, asks: '', forMs: UNDO_MS }
    await noteUndoable(parts.ephemeralState, context, `/hc undelete ${undoId}`, done)
    return deletedView(says, undoId)
  },
})
