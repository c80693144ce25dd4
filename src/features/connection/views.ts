import { formatElapsed } from '@signalman/runtime'
import { card, clip, commandButton, type Message, oneLine } from '@signalman/slack'
import { splitWords } from '../../bot/grammar/split-words.ts'
import { slicePage } from '../../bot/views/list-page.ts'
import { ENVIRONMENT_NAMES, type Environment, environmentSuffix } from '../../domain/environment.ts'
import { joinWords } from '../../domain/quoting.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'
import type { ActiveToken, ActiveTokens } from '../../service/tokens.ts'
import type { ConnectOutcome } from './rules/connection.ts'

/**
 * Confirms that the token was stored. `unused` is how many tokens the service generated in addition to it. The buttons use the
 * environment of the token, not the channel's.
 */
export function connectedView(
  environment: Environment,
  { visible, replaced }: ConnectOutcome,
  { resumeLine, unused = 0 }: { resumeLine?: string | undefined; unused?: number } = {},
): Message {
  const headline = `Signalman tested the token for the ${ENVIRONMENT_NAMES[environment]} environment and stored it${replaced ? ' in place of the previous one' : ''}.`
  const visibleChecks = pluralize(visible, 'health check')
  const envFlag = `--env ${environment}`
  return card({
    headline,
    notes: [
      visible === 0 ? 'It doesn’t give access to any health checks.' : `It gives access to ${visibleChecks}.`,
      ...(unused > 0
        ? [
            `The service also created ${pluralize(unused, 'more token')}. Signalman discarded ${unused === 1 ? 'it' : 'them'} without showing ${unused === 1 ? 'it' : 'them'} to anyone.`,
          ]
        : []),
    ],
    controls: [
      ...(resumeLine === undefined
        ? []
        : [
            commandButton(
              `Continue: ${clip(oneLine(resumeLine), 60)}`,
              withEnvironment(resumeLine, environment),
              {
                style: 'primary',
              },
            ),
          ]),
      commandButton('Summary', `/hc ${envFlag}`, resumeLine === undefined ? { style: 'primary' } : {}),
      visible === 0
        ? commandButton('Create a health check', `/hc create ${envFlag}`)
        : commandButton('List health checks', `/hc list ${envFlag}`),
    ],
  })
}

/** Confirms that the token was removed. `isConfigured` is true if Signalman now uses the operator's token. */
export const removedView = (environment: Environment, isConfigured: boolean): Message =>
  card({
    headline: `Removed the token for the ${ENVIRONMENT_NAMES[environment]} environment.`,
    notes: [
      isConfigured
        ? 'Signalman now uses the token from its configuration.'
        : 'To reconnect, store another token.',
    ],
    controls: [commandButton('Store a token', `/hc connect --env ${environment}`)],
  })

/** Adds the token's environment to a command line. */
const withEnvironment = (line: string, environment: Environment): string =>
  `${joinWords(splitWords(line))} --env ${environment}`

const PAGE_SIZE = 25
/** The last four characters would reveal too much of a shorter token. */
const MIN_LENGTH_TO_SHOW = 16

/** `••••3f2a`: enough to recognize it, too little to use it. */
const maskToken = (token: string): string =>
  token.length < MIN_LENGTH_TO_SHOW ? '••••' : `••••${token.slice(-4)}`

/** Lists the active tokens, masked. `usedToken` is the one that this workspace uses. */
export function tokensView(
  { tokens, unreadable }: ActiveTokens,
  usedToken: string | undefined,
  environment: Environment,
  now: Date,
  requestedPage: number,
): Message {
  const { items, page, pages } = slicePage(tokens, requestedPage, PAGE_SIZE)
  const lines = items
    .map((token) => [
      maskToken(token.token),
      formatAge(token, now),
      token.token === usedToken && 'in use here',
    ])
    .map((parts) => parts.filter(Boolean).join(' · '))
  const total = tokens.length + unreadable
  const count = total === 0 ? 'No active connection tokens' : pluralize(total, 'active connection token')
  const envFlag = `--env ${environment}`
  const pageButton = (label: string, to: number) =>
    commandButton(label, `/hc tokens --page ${to} ${envFlag}`, { inPlace: true })
  return card({
    headline: `${count}${environmentSuffix(environment)}${pages > 1 ? ` · page ${page} of ${pages}` : ''}`,
    notes: [
      ...lines,
      ...(unreadable > 0 ? [`Signalman couldn’t read ${formatCount(unreadable)} of them.`] : []),
    ],
    controls: [
      commandButton('Generate and use it here', `/hc token-generate ${envFlag}`, {
        confirm: {
          title: 'Generate a token?',
          text: 'The service creates a new token, and this workspace starts using it. The current token stays active in the service.',
          confirm: 'Generate',
        },
      }),
      ...(page > 1 ? [pageButton('Previous', page - 1)] : []),
      ...(page < pages ? [pageButton('Next', page + 1)] : []),
      pageButton('Refresh', page),
    ],
    smallPrint: ['Tokens are masked. The service doesn’t say when they expire or how to revoke them.'],
  })
}

function formatAge({ createdAt, createdAtText }: ActiveToken, now: Date): string {
  if (createdAt) return `${formatElapsed(createdAt, now)} old`
  return createdAtText ? `created ${clip(oneLine(createdAtText), 40)}` : 'age unknown'
}
