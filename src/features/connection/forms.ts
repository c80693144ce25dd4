import { DOUBLE_QUOTES, FieldErrors, Notice, SINGLE_QUOTES, UserError } from '@signalman/runtime'
import { lines, person, section, sentences, textElement, textInput } from '@signalman/slack'
import { form } from '../../bot/forms/form.ts'
import type { ConfiguredTokens } from '../../bot/request/context.ts'
import type { ConnectionSummary, Connections } from '../../bot/workspaces/connections.ts'
import { cmd } from '../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, type Environment, TOKEN_VARIABLES } from '../../domain/environment.ts'
import { writeCommand } from '../../domain/write-command.ts'
import { type ConnectWorkspaceDeps, connectWorkspace } from './connect-workspace.ts'
import { CONNECTION } from './rules/connection.ts'
import { connectedView, removedView } from './views.ts'

const QUOTE = `["'\`${DOUBLE_QUOTES}${SINGLE_QUOTES}]`
const QUOTES = new RegExp(`^${QUOTE}+|${QUOTE}+$`, 'gu')
const BEARER_PREFIX = /^(?:authorization\s*:\s*)?bearer\s+/i
/** An Authorization header can carry only visible ASCII. */
const TOKEN_CHARACTERS = /^[\x21-\x7e]+$/

/**
 * Strips what people copy along with a token: spaces, quotes, backticks, and a leading `Bearer`. Throws FieldErrors that don't
 * quote the pasted text.
 */
export function cleanToken(pasted: string | undefined): string {
  const token = unwrapToken(unwrapToken(pasted ?? '').replace(BEARER_PREFIX, ''))
  if (!token || /^bearer$/i.test(token)) throw tokenError('Paste the whole token here.')
  if (/\s/.test(token)) throw tokenError('A token can’t contain spaces or line breaks. Paste only the token.')
  if (!TOKEN_CHARACTERS.test(token))
    throw tokenError('This contains characters that a token can’t have. Copy the token again.')
  return token
}

const unwrapToken = (text: string): string => text.trim().replace(QUOTES, '').trim()

const tokenError = (sentence: string): FieldErrors => new FieldErrors({ token: sentence })

/** The stored and configured tokens, and whether OTE is available. */
interface ConnectionState {
  stored: readonly ConnectionSummary[]
  configured: ConfiguredTokens
  hasOte: boolean
}

/** Asks for a token, and stores it only if the service accepts it. */
export const connectForm = form({
  id: 'connection.connect',
  title: 'Store a token',
  button: 'Test and store',
  verb: '/hc connect',
  needs: 'admin',
  workingText: 'Testing the token…',
  secretFields: ['token'],
  content(environment, { stored, configured, hasOte }: ConnectionState) {
    const name = ENVIRONMENT_NAMES[environment]
    const other = environment === 'production' ? 'ote' : 'production'
    return {
      formState: { environment },
      blocks: [
        section(
          `Signalman uses one connection token for the ${name} environment for everyone in this workspace. It tests the token, stores it encrypted, and never shows it again.`,
        ),
        textInput('token', 'Token', {
          hint: 'From your account at the service. Slack shows what you type here.',
        }),
        stored.filter((connection) => connection.environment === environment).map(storedBlock),
        configured[environment]
          ? [section('Signalman’s configuration has a token. The token you store here replaces it.')]
          : [],
        hasOte
          ? [
              sentences(
                `For the ${ENVIRONMENT_NAMES[other]} environment, type this:\n\`${cmd(writeCommand('/hc connect', { environment: other }))}\``,
              ),
            ]
          : [],
      ],
    }
  },
  read: (answers) => cleanToken(answers.text('token')),
  async submit(context, token, { environment }, deps: ConnectWorkspaceDeps) {
    const outcome = await connectWorkspace(deps, context, { environment, token })
    return connectedView(environment, outcome)
  },
})

const storedBlock = ({ userId, storedAt }: ConnectionSummary) =>
  lines([
    'Token stored by ',
    person(userId),
    ' on ',
    storedAt,
    '. A new token replaces it here. ',
    'The old one stays valid at the service. If it has leaked, revoke it there. To list the active tokens, type ',
    textElement(cmd('/hc tokens'), { code: true }),
    '.',
  ])

interface ShownConnection {
  environment: Environment
  /** When the token was stored, ISO 8601. Distinguishes it from a token stored after the window was opened. */
  storedAt: string
}

/** Asks for confirmation, and says what removing the token means. Throws UserError if no token can be removed in Slack. */
export const disconnectForm = form({
  id: 'connection.disconnect',
  title: 'Remove token',
  button: 'Remove',
  verb: '/hc disconnect',
  needs: 'admin',
  workingText: 'Removing the token…',
  content(environment, stored: readonly ConnectionSummary[], configured: ConfiguredTokens) {
    const found = findStored(environment, stored, configured)
    const name = ENVIRONMENT_NAMES[environment]
    const formState: ShownConnection = { environment, storedAt: found.storedAt.toISOString() }
    return {
      formState,
      blocks: [
        lines([
          `The token for the ${name} environment, stored by `,
          person(found.userId),
          ' ',
          found.storedAt,
          ', will be removed.',
        ]),
        section(
          configured[environment]
            ? 'Signalman will then use the token from its configuration.'
            : `No one in this workspace will be able to use the ${name} service from Slack until someone stores a new token.`,
        ),
        section('The token stays valid in the service. If it has leaked, revoke it there.'),
      ],
    }
  },
  async submit(
    context,
    _,
    { environment, storedAt },
    { connections, configured }: { connections: Connections; configured: ConfiguredTokens },
  ) {
    const { workspaceId } = context
    await context.decide<string>(
      {
        verb: '/hc disconnect',
        object: CONNECTION,
        environment,
        before: (storedBy?: string) => storedBy && { storedBy, storedAt },
      },
      async (decisions) => {
        const { list, remove } = connections.within(decisions)
        const found = findStored(environment, await list(workspaceId), configured)
        // A token that the person didn't see isn't removed.
        if (found.storedAt.toISOString() !== storedAt) throw newerTokenError(environment)
        await remove(environment)
        return found.userId
      },
    )
    return removedView(environment, configured[environment] !== undefined)
  },
})

const newerTokenError = (environment: Environment): Notice =>
  new Notice('Someone stored a new token after you opened this window, so nothing was removed.', [
    { label: 'Open it again', line: writeCommand('/hc disconnect', { environment }) },
  ])

/** The stored token of an environment. Throws UserError if there is none. */
function findStored(
  environment: Environment,
  stored: readonly ConnectionSummary[],
  configured: ConfiguredTokens,
): ConnectionSummary {
  const found = stored.find((connection) => connection.environment === environment)
  if (found) return found
  const name = ENVIRONMENT_NAMES[environment]
  if (configured[environment])
    throw new UserError(
      `The token for the ${name} environment comes from Signalman’s configuration (${TOKEN_VARIABLES[environment]}), so you can’t remove it in Slack. Ask the person who runs it.`,
    )
  throw new UserError(`There’s no stored token for the ${name} environment.`, [
    { label: 'Store a token', line: writeCommand('/hc connect', { environment }) },
  ])
}
