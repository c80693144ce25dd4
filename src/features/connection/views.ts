import { formatElapsed } from '@signalman/runtime'
import { card, clip, commandButton, lines, type Message, oneLine } from '@signalman/slack'
import { describePage, listPage, neighborPages, slicePage } from '../../bot/views/list-page.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'
import { writeCommand } from '../../domain/write-command.ts'
import { parseDate } from '../../service/dates.ts'
import type { ActiveToken, ActiveTokens } from '../../service/tokens.ts'
import type { ConnectOutcome } from './rules/connection.ts'

/**
 * Confirms that the token was stored. `unusedTokens` is how many tokens the service generated in addition to it. The buttons use the
 * environment of the token, not the channel's.
 */
export function connectedView(
  environment: Environment,
  { visible, replaced }: ConnectOutcome,
  unusedTokens = 0,
): Message {
  const them = unusedTokens === 1 ? 'it' : 'them'
  return card({
    headline: `Signalman tested the token for the ${ENVIRONMENT_NAMES[environment]} environment and stored it${replaced ? ' in place of the previous one' : ''}.`,
    notes: [
      visible === 0
        ? 'It doesn’t give access to any health checks.'
        : `It gives access to ${pluralize(visible, 'health check')}.`,
      unusedTokens > 0
        ? `The service also created ${pluralize(unusedTokens, 'more token')}. Signalman discarded ${them} without showing ${them} to anyone.`
        : '',
    ].filter((line) => line !== ''),
    controls: [
      commandButton('Summary', writeCommand('/hc', { environment })),
      visible === 0
        ? commandButton('Create a health check', writeCommand('/hc create', { environment }))
        : commandButton('List health checks', writeCommand('/hc list', { environment })),
    ],
  })
}

export const removedView = (environment: Environment, isConfigured: boolean): Message =>
  card({
    headline: `Removed the token for the ${ENVIRONMENT_NAMES[environment]} environment.`,
    notes: [
      isConfigured
        ? 'Signalman now uses the token from its configuration.'
        : 'To reconnect, store another token.',
    ],
    controls: [commandButton('Store a token', writeCommand('/hc connect', { environment }))],
  })

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
  const { items, ...position } = slicePage(tokens, requestedPage, PAGE_SIZE)
  const shown = items.map((token) =>
    [maskToken(token.token), formatAge(token, now), token.token === usedToken && 'in use here']
      .filter(Boolean)
      .join(' · '),
  )
  const total = tokens.length + unreadable
  const formatLine = (page: number) => writeCommand('/hc tokens', { flags: { page }, environment })
  return listPage({
    title: total === 0 ? 'No active connection tokens' : pluralize(total, 'active connection token'),
    environment,
    subtitle: describePage(position.page, position.pages) || '',
    rows: shown.length > 0 ? [lines(...shown)] : [],
    notes: [
      ...(unreadable > 0 ? [`Signalman couldn’t read ${formatCount(unreadable)} of them.`] : []),
      'Tokens are masked. The service doesn’t say when they expire or how to revoke them.',
    ],
    ...neighborPages(position, formatLine),
    refreshLine: formatLine(position.page),
    controls: [
      commandButton('Generate and use it here', writeCommand('/hc token-generate', { environment }), {
        confirm: {
          title: 'Generate a token?',
          text: 'The service creates a new token, and this workspace starts using it. The current token stays active in the service.',
          confirm: 'Generate',
        },
      }),
    ],
    now,
  })
}

function formatAge({ createdAt }: ActiveToken, now: Date): string {
  const date = parseDate(createdAt)
  if (date) return `${formatElapsed(date, now)} old`
  return createdAt ? `created ${clip(oneLine(createdAt), 40)}` : 'age unknown'
}
