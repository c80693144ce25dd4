import {
  actions,
  clip,
  commandButton,
  context,
  date,
  divider,
  header,
  oneLine,
  paragraph,
  person,
  richText,
  section,
  utc,
  words,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { checkName } from '../../bot/replies/check-facts.ts'
import type { Environment } from '../../domain/environment.ts'
import { ENVIRONMENT_NAMES } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import type { ConnectedEnvironment, Counts, HomeState } from './show-home.ts'

interface Options {
  /** The prefix of this deployment's command names. */
  prefix: string
  /** These two decide which steps of the set-up are shown. */
  isAdmin: boolean
  isOperator: boolean
}

type Connection = Omit<ConnectedEnvironment, 'health'>

/** The beginning of App Home: the set-up while nothing is connected, then how the health checks are. */
export function homeView(state: HomeState, { prefix, isAdmin, isOperator }: Options): KnownBlock[] {
  const [first] = state.connected
  if (!first) return setUpView(state.unconnected, prefix, isAdmin)
  const of = `--env ${first.environment}`
  return [...state.connected.flatMap(healthBlocks), ...(isAdmin || isOperator ? leftToDo(state, of) : [])]
}

/** The end of App Home: other commands, and the connection; nothing while there is none. */
export function homeFootView(
  { connected, unconnected }: Pick<HomeState, 'unconnected'> & { connected: readonly Connection[] },
  now: Date,
): KnownBlock[] {
  const [first] = connected
  if (!first) return []
  const of = `--env ${first.environment}`
  return [
    divider(),
    header('Quick actions'),
    ...actions(
      commandButton('Summary', `/hc ${of}`),
      commandButton('List health checks', `/hc list ${of}`),
      commandButton('New health check', `/hc create ${of}`),
      commandButton('Export as CSV', `/hc export ${of}`),
      commandButton('Order a certificate', `/cert-order ${of}`),
      commandButton('Help', '/hc help'),
    ),
    divider(),
    header('Connection'),
    ...connected.flatMap(connectionBlocks),
    ...unconnected.map(unconnectedBlock),
    ...actions(commandButton('Refresh', '/hc home')),
    context(`As of ${utc(now)}.`),
  ]
}

/** The steps that make Signalman useful to a workspace, in order; a step that waits for an earlier one says so. */
function setUpView(environments: readonly Environment[], prefix: string, isAdmin: boolean): KnownBlock[] {
  const typed = (command: string): string => `/${prefix}${command}`
  return [
    header('Set up Signalman'),
    section(
      'Health checks and their alerts, threat events and certificate orders, answered where you already work. Three steps to go:',
    ),
    section(
      isAdmin
        ? '1. To do: store a connection token of the service. It is tried out, stored encrypted, and never shown again.'
        : `1. To do: an admin stores a connection token of the service. ${typed('hc')} whoami says who is one.`,
      commandButton('Store a token', `/hc connect --env ${environments[0] ?? 'production'}`, {
        style: 'primary',
      }),
    ),
    section(
      `2. After that: type ${typed('hc')} in any channel to see what is up and what is down. Only you see the answer.`,
    ),
    section(
      `3. After that: type ${typed('threat')} with the id of a threat event, or ${typed('cert-order')} to order a certificate.`,
    ),
    ...actions(commandButton('What can I type?', '/hc help')),
  ]
}

/** The set-up checklist, while a step of it is left. Steps that are done stay, to show the progress. */
function leftToDo({ connected, hasRoles }: HomeState, of: string): KnownBlock[] {
  const hasChecks = connected.some(({ health }) => 'problem' in health || health.total > 0)
  if (hasRoles && hasChecks) return []
  return [
    divider(),
    header('Set-up'),
    section('1. Done: a connection token is stored.'),
    hasRoles
      ? section('2. Done: it is said who may change health checks.')
      : section(
          '2. To do: say who may change health checks. So far only admins may; every member may look.',
          commandButton('Give roles', '/hc access'),
        ),
    hasChecks
      ? section('3. Done: there are health checks.')
      : section(
          '3. To do: create the first health check, or import them from a CSV or YAML file.',
          commandButton('Create', `/hc create ${of}`),
        ),
    ...(hasChecks ? [] : actions(commandButton('Import a file', `/hc import ${of}`))),
  ]
}

const titleOf = (environment: Environment): string =>
  environment === 'ote' ? 'Health checks (OTE)' : 'Health checks'

function healthBlocks({ environment, health }: ConnectedEnvironment): KnownBlock[] {
  const of = `--env ${environment}`
  if ('problem' in health)
    return [
      header(titleOf(environment)),
      section(
        health.problem,
        commandButton('Try again', `/hc ${of}`, { spoken: `Try ${titleOf(environment)} again` }),
      ),
    ]
  const spoken = `Open ${titleOf(environment)}`
  return [
    header(titleOf(environment)),
    section(countWords(health), commandButton('Open', `/hc ${of}`, { spoken })),
    ...downBlocks(health, of),
  ]
}

const DOWN_SHOWN = 5

/** What is down now; Home shows this first. */
function downBlocks({ down, unhealthy }: Counts, of: string): KnownBlock[] {
  if (unhealthy === 0) return []
  const shown = down.slice(0, DOWN_SHOWN)
  const more = unhealthy - shown.length
  return [
    ...shown.map((check) => {
      const name = checkName(check)
      const target = clip(oneLine(check.target ?? ''), 150)
      return section(
        `🔴 down · ${name}${target ? `\n${target}` : ''}`,
        commandButton('Open', `/hc show ${quoted(check.uuid)} ${of}`, { spoken: `Open ${name}` }),
      )
    }),
    ...(more > 0
      ? actions(commandButton(`${more} more that are down`, `/hc list --status UNHEALTHY ${of}`))
      : []),
  ]
}

function countWords({ total, unhealthy, installing, healthy }: Counts): string {
  if (total === 0) return 'There are no health checks yet.'
  const other = total - unhealthy - installing - healthy
  return [
    `🔴 down: ${unhealthy}`,
    `🟡 installing: ${installing}`,
    `🟢 up: ${healthy}`,
    ...(other > 0 ? [`⚪ Another status: ${other}`] : []),
  ].join('\n')
}

function connectionBlocks({ environment, stored }: Connection): KnownBlock[] {
  const name = environment === 'ote' ? 'OTE test environment' : 'Production'
  const of = `--env ${environment}`
  const connect = (label: string) =>
    commandButton(label, `/hc connect ${of}`, { spoken: `${label} for ${ENVIRONMENT_NAMES[environment]}` })
  if (!stored)
    return [
      section(
        `${name}: connected with the token that whoever runs this app has configured.`,
        connect('Store another token'),
      ),
    ]
  const spoken = `Forget token for ${ENVIRONMENT_NAMES[environment]}`
  return [
    richText(
      paragraph(
        words(`${name}: connected since `),
        date(stored.storedAt),
        words(', by '),
        person(stored.userId),
      ),
    ),
    ...actions(connect('Replace token'), commandButton('Forget token', `/hc disconnect ${of}`, { spoken })),
  ]
}

function unconnectedBlock(environment: Environment): KnownBlock {
  const name = environment === 'ote' ? 'OTE test environment' : 'Production'
  const spoken = `Store a token for ${ENVIRONMENT_NAMES[environment]}`
  return section(
    `${name}: not connected.`,
    commandButton('Store a token', `/hc connect --env ${environment}`, { spoken }),
  )
}
