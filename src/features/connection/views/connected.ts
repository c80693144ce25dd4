import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { wordsOf } from '../../../bot/typed/command-line.ts'
import type { Environment } from '../../../domain/environment.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { lineOf } from '../../../domain/quoting.ts'
import type { ConnectOutcome } from '../connect-workspace.ts'

/** As the audit log names it. */
export const connectionName = (environment: Environment): string =>
  `connection to ${environment === 'ote' ? 'the OTE environment' : 'production'}`

/** The token was accepted and kept. The buttons ask the environment that was connected, whatever the channel's is. */
export function connectedView(
  environment: Environment,
  { visible, replaced }: ConnectOutcome,
  goOn?: string,
): Message {
  const kept = `The service accepts the token for the ${ENVIRONMENT_NAMES[environment]} environment, and it is stored${replaced ? ' in place of the earlier one' : ''}.`
  const seen =
    visible === 0
      ? 'No health checks are visible with it yet.'
      : `${visible} health check${visible === 1 ? ' is' : 's are'} visible with it.`
  const sentences = `${kept} ${seen}`
  const of = `--env ${environment}`
  return message(
    literal(sentences),
    section(sentences),
    actions(
      ...(goOn === undefined
        ? []
        : [
            commandButton(`Go on: ${clip(oneLine(goOn), 60)}`, withEnvironment(goOn, environment), {
              style: 'primary',
            }),
          ]),
      commandButton('Summary', `/hc ${of}`, goOn === undefined ? { style: 'primary' } : {}),
      visible === 0
        ? commandButton('Create a health check', `/hc create ${of}`)
        : commandButton('List health checks', `/hc list ${of}`),
    ),
  )
}

/** The token is gone; `isConfigured` when the operator's takes over. */
export function forgottenView(environment: Environment, isConfigured: boolean): Message {
  const name = ENVIRONMENT_NAMES[environment]
  const next = isConfigured
    ? 'The token that whoever runs this app has configured is used now.'
    : 'Store another one whenever you want to go on.'
  const sentences = `The token for the ${name} environment is forgotten. ${next}`
  const connect = commandButton('Store a token', `/hc connect --env ${environment}`)
  return message(literal(sentences), section(sentences), actions(connect))
}

/** What was asked for before the token was there, in the environment that it is for: of two the parser takes the last. */
const withEnvironment = (line: string, environment: Environment): string =>
  `${lineOf(wordsOf(line))} --env ${environment}`
