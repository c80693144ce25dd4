import type { ActiveToken, ActiveTokens, GeneratedToken } from '../../../api/tokens.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { age } from '../../../blocks/dates.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { badgeOf, ENVIRONMENT_NAMES } from '../../../domain/environment.ts'

const SHOWN = 30
/** A token shorter than this would be given away by its end. */
const LONG_ENOUGH = 16

/** `••••3f2a`: enough to tell it from another one, too little to use it. */
const masked = (token: string): string => (token.length < LONG_ENOUGH ? '••••' : `••••${token.slice(-4)}`)

function countWords(readable: number, unreadable: number): string {
  const lost = `${unreadable} could not be read: the service sent ${unreadable === 1 ? 'it' : 'them'} in a form not understood.`
  if (readable + unreadable === 0) return 'The service knows of none.'
  return [`${readable + unreadable} in all.`, unreadable > 0 && lost].filter(Boolean).join(' ')
}

/** The active tokens, masked; `stored` is the one that this workspace uses. */
export function tokensView(
  { tokens, unreadable }: ActiveTokens,
  stored: string | undefined,
  environment: Environment,
  now: Date,
): Message {
  const title = `Active connection tokens${badgeOf(environment)}`
  const lines = tokens
    .slice(0, SHOWN)
    .map((token) => [masked(token.token), ageOf(token, now), token.token === stored && 'in use here'])
    .map((parts) => parts.filter(Boolean).join(' · '))
  const more = tokens.length - lines.length
  const count = countWords(tokens.length, unreadable)
  const of = `--env ${environment}`
  return message(
    literal([`${title}: ${count}`, ...lines, more > 0 && `And ${more} more.`].filter(Boolean).join('\n')),
    header(title),
    section([count, ...lines].join('\n')),
    more > 0 ? [context(`And ${more} more.`)] : [],
    actions(
      commandButton('Generate and use it here', `/hc token-generate --keep ${of}`, {
        confirm: {
          title: 'Generate a token?',
          text: 'The service makes a new token, and this workspace uses it from then on. The present one stays active at the service.',
          confirm: 'Generate',
        },
      }),
      commandButton('Generate and show it once', `/hc token-generate --show ${of}`),
      commandButton('Refresh', `/hc tokens ${of}`, { inPlace: true }),
    ),
    context('Tokens are masked. How long they live, and how they are withdrawn, the service does not say.'),
  )
}

function ageOf({ createdAt, createdAtText }: ActiveToken, now: Date): string {
  if (createdAt) return `${age(createdAt, now)} old`
  return createdAtText ? `made ${clip(oneLine(createdAtText), 40)}` : 'age not told'
}

/** A token that was just made, in the window that somebody opened for it. */
export function generatedModal(made: readonly GeneratedToken[], environment: Environment): Modal {
  return {
    title: 'A new token',
    blocks: [
      section(
        `For the ${ENVIRONMENT_NAMES[environment]} environment. Copy it now: it is shown this once, was not stored, and cannot be shown again.`,
      ),
      ...made.flatMap(({ token, accountId }) => [
        section(token),
        ...(accountId ? [context(`Account ${clip(oneLine(accountId), 100)}`)] : []),
      ]),
    ],
  }
}
