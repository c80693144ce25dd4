import { UserError } from '@signalman/runtime'
import { type ConfiguredTokens, NO_OTE } from '../../bot/context/make-context.ts'
import type { Routes } from '../../bot/routes/routes.ts'
import type { Channels } from '../../bot/workspaces/channels.ts'
import type { AccessParts } from './access-question.ts'
import type { ConnectParts } from './connect-workspace.ts'
import { channelEnvironment } from './environment.ts'
import { connectForm, disconnectForm } from './forms.ts'
import { generateAndKeep, generateAndShow } from './generate-token.ts'
import { tokensView } from './views.ts'

interface Parts extends ConnectParts, AccessParts {
  /** Tokens that the operator has given: they show, and cannot be forgotten from here. */
  configured: ConfiguredTokens
  /** False when the operator gave no address for OTE: it is then not offered. */
  hasOte?: boolean
  channels: Channels
}

/** `/hc connect`, `disconnect`, `tokens` and `env`: the workspace's tokens, and which environment a channel asks. */
export function connectionCommands(routes: Routes, parts: Parts): void {
  const { connections, configured, hasOte = true, channels } = parts

  routes.verb({
    command: 'hc',
    verb: 'connect',
    usage: 'connect',
    does: 'Store the token that Signalman asks the service with, or replace it',
    needs: 'admin',
    opens: true,
    flags: { resume: 'value' },
    async run({ workspaceId, environment }, { flags: { resume } }) {
      if (environment === 'ote' && !hasOte)
        throw new UserError(NO_OTE, [
          { label: 'Store a token for production', line: '/hc connect --env production' },
        ])
      const stored = await connections.list(workspaceId)
      const goOn = typeof resume === 'string' && resume.startsWith('/') ? { resume } : {}
      return connectForm.open(environment, { stored, configured, hasOte }, goOn)
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
      return disconnectForm.open(environment, await connections.list(workspaceId), configured)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'tokens',
    usage: 'tokens',
    does: 'List the active connection tokens, masked; generate one',
    needs: 'admin',
    async run(context) {
      const { tokens } = await context.api()
      const stored = await connections.find(context.workspaceId, context.environment)
      const used = stored?.token ?? configured[context.environment]
      return tokensView(await tokens.list(), used, context.environment, context.now)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'token-generate',
    usage: 'token-generate --keep|--show',
    does: 'Generate a connection token, to use it here or to show it once',
    needs: 'admin',
    acts: true,
    hidden: true,
    opens: true,
    flags: { keep: 'switch', show: 'switch' },
    run: (context, { flags: { keep } }) =>
      keep ? generateAndKeep(parts, context) : generateAndShow(context),
  })

  routes.verb({
    command: 'hc',
    verb: 'env',
    usage: 'env [production|ote]',
    does: 'Have this channel ask the production or the OTE test environment',
    needs: 'operator',
    acts: ({ words }) => words.length > 0,
    run: (context, { words: [typed] }) => channelEnvironment({ channels, hasOte }, context, typed),
  })

  routes.form(connectForm, parts)
  routes.form(disconnectForm, parts)
}
