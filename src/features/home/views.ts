import {
  actions,
  bindCommandButtons,
  commandButton,
  date,
  header,
  paragraph,
  person,
  richText,
  section,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { ENVIRONMENT_NAMES } from '../../domain/environment.ts'
import type { ConnectedEnvironment, HomeEnvironment, HomeState } from './rules/home-state.ts'

/** The setup steps. Empty once an environment is connected. */
export function setUpView(
  environments: readonly HomeEnvironment[],
  { isAdmin }: { isAdmin: boolean },
): KnownBlock[] {
  if (environments.some(({ isConnected }) => isConnected)) return []
  return [
    header('Set up Signalman'),
    section(
      'Health checks, threat events, and certificate orders, right in Slack. Three steps to get started:',
    ),
    section(
      isAdmin
        ? '1. Store a connection token for the service. Signalman tests it, stores it encrypted, and never shows it again.'
        : `1. An admin stores a connection token for the service. To see who your admins are, type ${cmd('/hc access')}.`,
      commandButton('Store a token', '/hc connect --env production', { style: 'primary' }),
    ),
    section(
      `2. Type ${cmd('/hc')} in any channel to see what’s up and what’s down. Only you see the answer.`,
    ),
    section(
      `3. Type ${cmd('/threat')} with the ID of a threat event, or ${cmd('/cert-order')} to order a certificate.`,
    ),
    ...actions(commandButton('What can I type?', '/hc help')),
  ]
}

/** The summary of the first environment, one line for each of the others, and the remaining setup steps. */
export function statusView(state: HomeState, canChange: boolean): KnownBlock[] {
  const [first, ...others] = state.connected
  if (!first) return []
  return [
    ...summaryBlocks(first),
    ...others.flatMap(lineBlocks),
    ...(canChange ? remainingSteps(state, `--env ${first.environment}`) : []),
  ]
}

function summaryBlocks({ environment, health }: ConnectedEnvironment): KnownBlock[] {
  if ('problem' in health) return problemBlocks(health.problem, environment)
  // In App Home, commands without `--env` use production.
  return environment === 'production'
    ? health.card
    : bindCommandButtons(health.card, (line) => `${line} --env ${environment}`)
}

const lineBlocks = ({ environment, health }: ConnectedEnvironment): KnownBlock[] =>
  'problem' in health
    ? problemBlocks(`${ENVIRONMENT_NAMES[environment]}: ${health.problem}`, environment)
    : [
        section(
          health.line,
          commandButton('Open', `/hc --env ${environment}`, {
            accessibilityLabel: `Open ${ENVIRONMENT_NAMES[environment]}`,
          }),
        ),
      ]

const problemBlocks = (problem: string, environment: Environment): KnownBlock[] => [
  section(
    problem,
    commandButton('Try again', '/hc home', {
      accessibilityLabel: `Try ${ENVIRONMENT_NAMES[environment]} again`,
    }),
  ),
]

/** Frequent actions that no other part of App Home offers. */
export function quickActions(environments: readonly HomeEnvironment[]): KnownBlock[] {
  const first = environments.find(({ isConnected }) => isConnected)
  if (!first) return []
  const envFlag = `--env ${first.environment}`
  return actions(
    commandButton('List health checks', `/hc list ${envFlag}`),
    commandButton('New health check', `/hc create ${envFlag}`),
    commandButton('Order a certificate', `/cert-order ${envFlag}`),
    commandButton('List certificate orders', '/cert-order list'),
    commandButton('Export as CSV', `/hc export ${envFlag}`),
    commandButton('Help', '/hc help'),
  )
}

/** Shows whose token each environment uses, if only the test environment is connected. Otherwise nothing is wrong, or `setUpView` says so. */
export const connectionView = (environments: readonly HomeEnvironment[]): KnownBlock[] =>
  environments.some(({ isConnected }) => isConnected) &&
  environments.some(({ environment, isConnected }) => environment === 'production' && !isConnected)
    ? environments.flatMap(connectionBlocks)
    : []

/** The setup checklist. Completed steps stay visible until all are done. */
function remainingSteps({ connected, hasRoles }: HomeState, envFlag: string): KnownBlock[] {
  const hasChecks = connected.some(({ health }) => 'total' in health && health.total > 0)
  // If the service didn't respond, don't suggest creating health checks: there may be some.
  const isCountKnown = hasChecks || connected.every(({ health }) => 'total' in health)
  if (hasRoles && (hasChecks || !isCountKnown)) return []
  return [
    section('Finish setting up:'),
    section('✓ A token for the service is stored'),
    hasRoles
      ? section('✓ Roles are set up')
      : section(
          'Give people roles. Right now, only admins can change health checks. Every member can view them.',
          commandButton('Give roles', '/hc access'),
        ),
    ...checksStep(hasChecks, isCountKnown, envFlag),
  ]
}

function checksStep(hasChecks: boolean, isCountKnown: boolean, envFlag: string): KnownBlock[] {
  if (hasChecks) return [section('✓ Health checks are set up')]
  if (!isCountKnown) return [section('Signalman can’t tell right now whether there are health checks.')]
  return [
    section(
      'Create your first health check, or import them from a CSV file.',
      commandButton('Create', `/hc create ${envFlag}`),
    ),
    ...actions(commandButton('Import a file', `/hc import ${envFlag}`)),
  ]
}

function connectionBlocks({ environment, stored, isConnected }: HomeEnvironment): KnownBlock[] {
  const name = environment === 'ote' ? 'OTE test environment' : 'Production'
  const envFlag = `--env ${environment}`
  const connect = (label: string) =>
    commandButton(label, `/hc connect ${envFlag}`, {
      accessibilityLabel: `${label} for ${ENVIRONMENT_NAMES[environment]}`,
    })
  if (!isConnected) return [section(`${name}: no token.`, connect('Store a token'))]
  if (!stored)
    return [
      section(`${name}: uses the token from Signalman’s configuration.`, connect('Store another token')),
    ]
  const accessibilityLabel = `Remove the token for ${ENVIRONMENT_NAMES[environment]}`
  return [
    richText(
      paragraph(
        textElement(`${name}: token stored `),
        date(stored.storedAt),
        textElement(' by '),
        person(stored.userId),
      ),
    ),
    ...actions(
      connect('Replace token'),
      commandButton('Remove token', `/hc disconnect ${envFlag}`, { accessibilityLabel }),
    ),
  ]
}
