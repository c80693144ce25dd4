import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkName } from '../../../blocks/checks.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { clip, literal } from '../../../blocks/text.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted } from '../../../domain/wording.ts'

const NAMED = 5

/** A check is deleted; the button brings it back. */
export function deletedView(name: string, goes: string, undoId: string, environment: Environment): Message {
  const sentence = `Deleted “${clip(name, 150)}”${badgeOf(environment)}, with ${goes}. It can be undone for ten minutes.`
  return message(
    literal(sentence),
    section(sentence),
    actions(
      commandButton('Undo', `/hc undelete ${undoId}`, { inPlace: true }),
      commandButton('List', '/hc list'),
    ),
  )
}

/** A deleted check is back; `lost` holds the recipients of alerts that could not be created again. */
export function undoneView(
  check: HealthCheck,
  alerts: number,
  lost: readonly string[],
  environment: Environment,
): Message {
  const lines = [
    `“${checkName(check)}”${badgeOf(environment)} is back, with ${counted(alerts, 'alert')}. It was created anew, so its UUID is another one: ${check.uuid}.`,
    ...lost.slice(0, NAMED).map((to) => `An alert could not be created again. It went to: ${to}.`),
    ...(lost.length > NAMED ? [`And ${lost.length - NAMED} more alerts could not be created again.`] : []),
  ]
  return message(
    literal(lines.join('\n')),
    section(lines.join('\n')),
    actions(
      commandButton('Open', `/hc show ${quoted(check.uuid)}`),
      ...(lost.length > 0 ? [commandButton('Add alert', `/hc alert-add ${quoted(check.uuid)}`)] : []),
    ),
  )
}
