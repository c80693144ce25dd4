import { section } from '../../../blocks/layout.ts'
import { date, paragraph, person, richText, words } from '../../../blocks/rich-text.ts'
import type { ConfiguredTokens } from '../../../bot/context/api-of.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { type SuggestedCommand, UserError } from '../../../errors.ts'
import type { ConnectionSummary } from '../../../store/store.ts'
import type { Connections } from '../../../store/workspaces/connections.ts'
import { connectionName, forgottenView } from '../views/connected.ts'

interface ShownConnection {
  environment: Environment
  /** ISO 8601: tells the token that the person saw from one stored since. */
  storedAt: string
}

/** The variable that an operator gives a token in. */
const VARIABLES: Readonly<Record<Environment, string>> = { production: 'API_TOKEN', ote: 'API_OTE_TOKEN' }

const DISCONNECT = 'connection.disconnect'

/** Names what will be forgotten and what that means. Throws UserError when there is nothing that Slack could forget. */
export function disconnectModal(
  environment: Environment,
  stored: readonly ConnectionSummary[],
  configured: ConfiguredTokens,
): Modal {
  const found = stored.find((connection) => connection.environment === environment)
  const name = ENVIRONMENT_NAMES[environment]
  if (!found) throw nothingToForget(environment, stored, configured)
  const about: ShownConnection = { environment, storedAt: found.storedAt.toISOString() }
  return {
    title: 'Forget the token',
    form: { id: DISCONNECT, submit: 'Forget it' },
    about,
    blocks: [
      richText(
        paragraph(
          words(`The token for the ${name} environment, stored by `),
          person(found.userId),
          words(' '),
          date(found.storedAt),
          words(', will be forgotten.'),
        ),
      ),
      section(
        configured[environment]
          ? 'From then on, the token that whoever runs this app has configured is used.'
          : `From then on, nobody in this workspace can ask the ${name} service anything from Slack, until a token is stored again.`,
      ),
      section('The service itself goes on accepting the token: withdraw it there if it has leaked.'),
    ],
  }
}

function nothingToForget(
  environment: Environment,
  stored: readonly ConnectionSummary[],
  configured: ConfiguredTokens,
): UserError {
  const name = ENVIRONMENT_NAMES[environment]
  const others: SuggestedCommand[] = stored.map((other) => ({
    label: `Forget the token for ${ENVIRONMENT_NAMES[other.environment]}`,
    line: `/hc disconnect --env ${other.environment}`,
  }))
  if (configured[environment])
    return new UserError(
      `The token for the ${name} environment comes from the operator's configuration (${VARIABLES[environment]}) and cannot be forgotten from Slack. Whoever runs this app can take it out.`,
      others,
    )
  return new UserError(
    `No token for the ${name} environment is stored, so there is nothing to forget.`,
    others.length > 0 ? others : [{ label: 'Store a token', line: `/hc connect --env ${environment}` }],
  )
}

/** The form of `disconnectModal`. */
export function disconnectForm(parts: {
  connections: Connections
  configured: ConfiguredTokens
}): Form<undefined, ShownConnection> {
  const { connections, configured } = parts
  return {
    id: DISCONNECT,
    verb: '/hc disconnect',
    needs: 'admin',
    working: 'Forgetting the token…',
    read: () => undefined,
    async submit(context, _, { environment, storedAt }) {
      const { workspaceId } = context
      const stored = await context.keep('stored', () => connections.list(workspaceId))
      const found = stored.find((connection) => connection.environment === environment)
      if (!found) throw nothingToForget(environment, stored, configured)
      if (found.storedAt.toISOString() !== storedAt)
        throw new UserError('A new token was stored since this window was opened, so it was kept.', [
          { label: 'Open it again', line: `/hc disconnect --env ${environment}` },
        ])
      await context.change(
        {
          verb: '/hc disconnect',
          object: connectionName(environment),
          before: { storedBy: found.userId, storedAt },
          isRepeatable: true,
        },
        () => connections.forget(workspaceId, environment),
      )
      return forgottenView(environment, configured[environment] !== undefined)
    },
  }
}
