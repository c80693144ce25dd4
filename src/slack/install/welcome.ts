import { commandButton } from '../../blocks/command-buttons.ts'
import { actions, header, section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import { literal } from '../../blocks/text.ts'

/**
 * What the person who has installed the app reads: the three next steps, with a button each. For an organization there
 * are no buttons: each step is taken in a workspace of it.
 */
export function welcomeMessage(options: { prefix: string; name: string; isOrganization: boolean }): Message {
  const { prefix, name, isOrganization } = options
  const command = `/${prefix}hc`
  const steps = [
    `1. Store a connection token of the service: ${command} connect`,
    `2. Say who may change what: ${command} access. Until then you and the admins of the workspace may, and everyone can look.`,
    `3. Try it in a channel: ${command} lists what is up and what is down.`,
  ]
  const lead = isOrganization
    ? `You have installed Signalman for all of ${name}. In each of its workspaces, three steps make it useful:`
    : `You have installed Signalman in ${name}. Three steps make it useful:`
  return message(
    literal(['Signalman is here', lead, ...steps].join('\n')),
    header('Signalman is here'),
    section(lead),
    section(steps.join('\n')),
    isOrganization
      ? []
      : actions(
          commandButton('Store a token', '/hc connect', { style: 'primary' }),
          commandButton('Who may do what', '/hc access'),
          commandButton('Try it', '/hc'),
        ),
  )
}
