import { actions, commandButton, header, lines, person, section } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'

/** A connected environment, and who stored its token. Without `stored`, the token is in the operator's configuration. */
export interface HomeConnection {
  readonly environment: Environment
  readonly stored: { readonly userId: string; readonly storedAt: Date } | undefined
}

export const setUpView = ({ isAdmin }: { isAdmin: boolean }): KnownBlock[] => [
  header('Set up Signalman'),
  section(
    'Health checks, threat events, and certificate orders, right in Slack. Three steps to get started:',
  ),
  section(
    isAdmin
      ? '1. Store a connection token for the service. Signalman tests it, stores it encrypted, and never shows it again.'
      : `1. An admin stores a connection token for the service. To see who your admins are, type:\n${cmd('/hc access')}`,
    commandButton('Store a token', '/hc connect --env production', { style: 'primary' }),
  ),
  section(`2. Type ${cmd('/hc')} in any channel to see what’s up and what’s down. Only you see the answer.`),
  section(
    `3. Type ${cmd('/threat')} with the ID of a threat event, or ${cmd('/cert-order')} to order a certificate.`,
  ),
]

export const problemView = (problem: string): KnownBlock[] => [
  section(problem, commandButton('Try again', '/hc home')),
]

export const settingsView = (
  connection: HomeConnection,
  { hasRoles }: { hasRoles: boolean },
): KnownBlock[] => [
  tokenLine(connection),
  ...(hasRoles
    ? []
    : [
        section(
          'Nobody was given a role yet. Right now, only admins can change health checks. Every member can view them.',
        ),
      ]),
  ...actions(
    commandButton('Roles', '/hc access', hasRoles ? {} : { style: 'primary' }),
    commandButton('Replace token', `/hc connect --env ${connection.environment}`),
    commandButton('Order settings', '/cert-order settings'),
    commandButton('Audit log', '/hc audit'),
  ),
]

function tokenLine({ environment, stored }: HomeConnection): KnownBlock {
  const name = environment === 'ote' ? 'Production has no token. The OTE test environment' : 'Production'
  if (!stored) return section(`${name} uses the token from Signalman’s configuration.`)
  return lines([`${name}: token stored `, stored.storedAt, ' by ', person(stored.userId)])
}

export const helpView = (isConnected: boolean): KnownBlock[] =>
  actions(
    ...(isConnected ? [commandButton('Watches, mutes, and maintenance', '/hc watches --all')] : []),
    commandButton('Help', '/hc help'),
  )
