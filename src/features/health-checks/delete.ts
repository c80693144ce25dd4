import type { Alert } from '../../api/alerts.ts'
import type { HealthCheck } from '../../api/health-checks.ts'
import { textInput } from '../../blocks/inputs.ts'
import { actions, section } from '../../blocks/layout.ts'
import { message } from '../../blocks/message.ts'
import { offer } from '../../blocks/offers.ts'
import { literal, oneLine } from '../../blocks/text.ts'
import { UserError } from '../../errors.ts'
import type { Form, Modal } from '../../slack/routes.ts'
import { nameOf, targetOf } from './rows.ts'
import { badge } from './views.ts'

interface About {
  uuid: string
  name: string
  goes: string
}

/** What goes with the check, in words. */
function goesWith(alerts: readonly Alert[]): string {
  const recipients = new Set(alerts.flatMap((alert) => alert.recipients)).size
  if (alerts.length === 0) return 'no alerts'
  const people = `${recipients} recipient${recipients === 1 ? '' : 's'}`
  return `${alerts.length} alert${alerts.length === 1 ? '' : 's'} with ${people}`
}

/** Names the check and what goes with it; the person types the name, so that a click alone deletes nothing. */
export function deleteModal(check: HealthCheck, alerts: readonly Alert[], isOte: boolean): Modal {
  const name = oneLine(check.name) || check.uuid
  const about: About = { uuid: check.uuid, name, goes: goesWith(alerts) }
  return {
    title: 'Delete health check',
    form: { id: deleteForm.id, submit: 'Delete' },
    about,
    blocks: [
      section(
        `${nameOf(check)}${isOte ? ' (OTE)' : ''}\n${targetOf(check)}\n\nIt is deleted for good, with ${about.goes}. It is no longer checked, and nobody is told when its target goes down.`,
      ),
      textInput('name', 'Type the name of the health check', { hint: name }),
    ],
  }
}

export const deleteForm: Form<string, About> = {
  id: 'health-checks.delete',
  needs: 'operator',
  working: 'Deleting the health check…',
  read: (answers) => answers.text('name') ?? '',
  async submit(ask, typed, { uuid, name, goes }) {
    if (oneLine(typed) !== name) throw new UserError(`That is not its name: type “${name}” to delete it.`)
    const { healthChecks } = await ask.api()
    await ask.change({ verb: '/hc delete', object: `health-check ${uuid}`, before: { name, goes } }, () =>
      healthChecks.delete(uuid),
    )
    const sentence = `Deleted “${name}”${badge(ask.environment)}, with ${goes}.`
    return message(literal(sentence), section(sentence), actions(offer('List', '/hc list')))
  },
}
