import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { choice } from '../../bot/grammar/parameters.ts'
import { type ConfiguredTokens, NO_OTE } from '../../bot/request/context.ts'
import type { ActSteps, Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../bot/typed/fields.ts'
import type { Channels } from '../../bot/workspaces/channels.ts'
import type { Environment } from '../../domain/environment.ts'
import { type ConnectWorkspaceDeps, connectWorkspace } from './connect-workspace.ts'
import { showOrSwitchEnvironment } from './environment.ts'
import { connectForm, disconnectForm } from './forms.ts'
import { CONNECTION } from './rules/connection.ts'
import { connectedView, tokensView } from './views.ts'

interface ConnectionDeps extends ConnectWorkspaceDeps {
  /** Tokens that the operator configured. They can't be removed in Slack. */
  configured: ConfiguredTokens
  /** False if the operator configured no address for OTE. Then Signalman doesn't offer OTE. */
  hasOte: boolean
  channels: Channels
}

/** `/hc connect`, `disconnect`, `tokens`, and `env`: the workspace's tokens, and which environment a channel uses. */
export function connectionCommands(deps: ConnectionDeps): VerbDeclaration[] {
  const { connections, configured, hasOte } = deps

  return [
    {
      line: '/hc connect',
      description: 'Store or replace the token of the connection to the service',
      needs: 'admin',
      opensModal: true,
      async run({ workspaceId, environment }) {
        if (environment === 'ote' && !hasOte)
          throw new UserError(NO_OTE, [
            { label: 'Store a token for production', line: '/hc connect --env production' },
          ])
        const stored = await connections.list(workspaceId)
        return connectForm.open(environment, { stored, configured, hasOte })
      },
    },

    {
      line: '/hc disconnect',
      description: 'Remove the stored token, after a confirmation',
      needs: 'admin',
      opensModal: true,
      async run({ workspaceId, environment }) {
        return disconnectForm.open(environment, await connections.list(workspaceId), configured)
      },
    },

    {
      line: '/hc tokens',
      description: 'List the active connection tokens (masked), or generate one',
      needs: 'admin',
      flags: flagSpecs(PAGE_FIELDS),
      async run(context, { flags }) {
        const { page = 1 } = readFields(PAGE_FIELDS, flags)
        const { tokens } = await context.api()
        const stored = await connections.find(context.workspaceId, context.environment)
        const currentToken = stored?.token ?? configured[context.environment]
        return tokensView(await tokens.list(), currentToken, context.environment, context.now, page)
      },
    },

    {
      line: '/hc token-generate',
      description: 'Generate a connection token and use it here',
      needs: 'admin',
      isAct: true,
      hidden: true,
      label: 'generate a token for the',
      run: (context) => generateToken(deps, context),
    },

    {
      line: '/hc env',
      parameters: [choice('environment', { production: 'production', ote: 'ote' })],
      description: 'Switch this channel to production or to the OTE test environment',
      needs: 'operator',
      isAct: ({ values }) => values.environment !== undefined,
      run: (context, { values }) =>
        // The parameter accepts only `production` and `ote`, so the cast is safe.
        showOrSwitchEnvironment(deps, context, values.environment as Environment | undefined),
    },
  ]
}

/** Generates a token, tests it, and stores it. Nobody sees it. Throws ApiError and UserError. */
async function generateToken(
  deps: ConnectWorkspaceDeps,
  context: Requester & ServiceAccess & ActSteps,
): Promise<Message> {
  const { environment } = context
  const { tokens } = await context.api()
  const audited = { verb: '/hc token-generate', object: CONNECTION, environment, isSecret: true } as const
  const generated = await context.step(audited, () => tokens.generate())
  const [first, ...unused] = generated
  if (!first) throw new Error('The service generated a token but didn’t return it.')
  const newToken = { environment, token: first, isGenerated: true }
  const outcome = await connectWorkspace(deps, context, newToken)
  return connectedView(environment, outcome, unused.length)
}
