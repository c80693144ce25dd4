import { UserError } from '../../errors.ts'
import type { ConfiguredTokens } from '../../slack/asks.ts'
import type { Routes } from '../../slack/routes.ts'
import type { AccessParts } from './access-question.ts'
import type { ConnectParts } from './connect-workspace.ts'
import { disconnectForm, disconnectModal } from './disconnect.ts'
import { connectForm, connectModal } from './form.ts'

interface Parts extends ConnectParts, AccessParts {
  /** Tokens that the operator has given: they show, and cannot be forgotten from here. */
  configured: ConfiguredTokens
  /** False when the operator gave no address for OTE: it is then not offered. */
  hasOte?: boolean
}

/** `/hc connect` and `/hc disconnect`: the workspace's token, per environment. */
export function connectionRoutes(routes: Routes, parts: Parts): void {
  const { connections, configured, hasOte = true } = parts

  routes.verb({
    command: 'hc',
    verb: 'connect',
    usage: 'connect',
    does: 'Store the token that Signalman asks the service with, or replace it',
    needs: 'admin',
    opens: true,
    async run({ workspaceId, environment }) {
      if (environment === 'ote' && !hasOte)
        throw new UserError(
          'This deployment has no address for the OTE environment. Whoever runs it can set API_OTE_BASE_URL.',
          [{ label: 'Store a token for production', line: '/hc connect --env production' }],
        )
      const stored = await connections.list(workspaceId)
      return connectModal(environment, { stored, configured, hasOte })
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'disconnect',
    usage: 'disconnect',
    does: 'Forget the stored token, after a confirmation',
    needs: 'admin',
    opens: true,
    async run({ workspaceId, environment }) {
      return disconnectModal(environment, await connections.list(workspaceId), configured)
    },
  })

  routes.form(connectForm(parts))
  routes.form(disconnectForm({ connections, configured }))
}
