import { formatElapsed } from '@signalman/runtime'
import { card, clip, commandButton, context, type Message, oneLine, section } from '@signalman/slack'
import type { Modal } from '../../bot/routes/routes.ts'
import { splitWords } from '../../bot/typed/command-line.ts'
import { slicePage } from '../../bot/views/list-page.ts'
import { badgeOf, ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import { joinWords } from '../../domain/quoting.ts'
import { counted, grouped } from '../../domain/wording.ts'
import type { ActiveToken, ActiveTokens, GeneratedToken } from '../../service/tokens.ts'
import type { ConnectOutcome } from './rules/connection.ts'

/**
 * The token was accepted and stored; `unused` were created with it, and discarded. The buttons use the environment that was
 * connected, whatever the channel's is.
 */
export function connectedView(
  environment: Environment,
  { visible, replaced }: ConnectOutcome,
  { goOn, unused = 0 }: { goOn?: string | undefined; unused?: number } = {},
): Message {
  const answer = `Signalman tested the token for the ${ENVIRONMENT_NAMES[environment]} environment and stored it${replaced ? ' in place of the previous one' : ''}.`
  const seen = counted(visible, 'health check')
  const of = `--env ${environment}`
  return card({
    answer,
    notes: [
      visible === 0 ? 'It doesn’t give access to any health checks yet.' : `It gives access to ${seen}.`,
      ...(unused > 0
        ? [
            `The service also created ${counted(unused, 'more token')}. Signalman discarded ${unused === 1 ? 'it' : 'them'} without showing ${unused === 1 ? 'it' : 'them'} to anyone.`,
          ]
        : []),
    ],
    controls: [
      ...(goOn === undefined
        ? []
        : [
            commandButton(`Continue: ${clip(oneLine(goOn), 60)}`, withEnvironment(goOn, environment), {
              style: 'primary',
            }),
          ]),
      commandButton('Summary', `/hc ${of}`, goOn === undefined ? { style: 'primary' } : {}),
      visible === 0
        ? commandButton('Create a health check', `/hc create ${of}`)
        : commandButton('List health checks', `/hc list ${of}`),
    ],
  })
}

/** The token was removed; `isConfigured` if the operator's takes over. */
export const forgottenView = (environment: Environment, isConfigured: boolean): Message =>
  card({
    answer: `Removed the token for the ${ENVIRONMENT_NAMES[environment]} environment.`,
    notes: [isConfigured ? 'Signalman now uses the operator’s token.' : 'To reconnect, store another token.'],
    controls: [commandButton('Store a token', `/hc connect --env ${environment}`)],
  })

/** What was requested before the token was stored, in the environment that it is for; such a line names none itself. */
const withEnvironment = (line: string, environment: Environment): string =>
  `${joinWords(splitWords(line))} --env ${environment}`

const PAGE = 25
/** The last characters would give away too much of a shorter token. */
const LONG_ENOUGH = 16

/** `••••3f2a`: enough to recognize it, too little to use it. */
const masked = (token: string): string => (token.length < LONG_ENOUGH ? '••••' : `••••${token.slice(-4)}`)

/** The active tokens, masked; `stored` is the one that this workspace uses. */
export function tokensView(
  { tokens, unreadable }: ActiveTokens,
  stored: string | undefined,
  environment: Environment,
  now: Date,
  wanted: number,
): Message {
  const { items, page, pages } = slicePage(tokens, wanted, PAGE)
  const lines = items
    .map((token) => [masked(token.token), formatAge(token, now), token.token === stored && 'in use here'])
    .map((parts) => parts.filter(Boolean).join(' · '))
  const all = tokens.length + unreadable
  const of = `--env ${environment}`
  const turn = (label: string, to: number) =>
    commandButton(label, `/hc tokens --page ${to} ${of}`, { inPlace: true })
  return card({
    answer: `${all === 0 ? 'No' : grouped(all)} active connection ${all === 1 || all === 0 ? 'token' : 'tokens'}${badgeOf(environment)}${pages > 1 ? ` · page ${page} of ${pages}` : ''}`,
    notes: [...lines, ...(unreadable > 0 ? [`Signalman couldn’t read ${grouped(unreadable)} of them.`] : [])],
    controls: [
      commandButton('Generate and use it here', `/hc token-generate --keep ${of}`, {
        confirm: {
          title: 'Generate a token?',
          text: 'The service creates a new token, and this workspace starts using it. The current token stays active in the service.',
          confirm: 'Generate',
        },
      }),
      commandButton('Generate and show it once', `/hc token-generate --show ${of}`),
      ...(page > 1 ? [turn('Previous', page - 1)] : []),
      ...(page < pages ? [turn('Next', page + 1)] : []),
      turn('Refresh', page),
    ],
    small: ['Tokens are masked. The service doesn’t say when they expire or how to revoke them.'],
  })
}

function formatAge({ createdAt, createdAtText }: ActiveToken, now: Date): string {
  if (createdAt) return `${formatElapsed(createdAt, now)} old`
  return createdAtText ? `created ${clip(oneLine(createdAtText), 40)}` : 'age unknown'
}

/** A token that was just generated, in the window that was opened for it. */
export function generatedModal(made: readonly GeneratedToken[], environment: Environment): Modal {
  return {
    title: 'New token',
    blocks: [
      section(
        `For the ${ENVIRONMENT_NAMES[environment]} environment. Copy it now. It isn’t stored, and you won’t be able to see it again.`,
      ),
      ...made.flatMap(({ token, accountId }) => [
        section(token),
        ...(accountId ? [context(`Account ${clip(oneLine(accountId), 100)}`)] : []),
      ]),
    ],
  }
}
