import { UserError } from '@signalman/runtime'
import { rewriteCommands } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { ConfiguredTokens } from '../../bot/request/context.ts'
import { explain, quoteService } from '../../bot/request/explain.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { HomeSection } from '../../bot/routes/routes.ts'
import type { CachedReads } from '../../bot/workspaces/cached-reads.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import { type HomeConnection, helpView, problemView, settingsView, setUpView } from './views.ts'

interface HomeDeps {
  /** The state of the environment's checks. Throws ApiError and UserError. */
  summary(
    context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
    environment: Environment,
    signal: AbortSignal,
  ): Promise<KnownBlock[]>
  cached: Pick<CachedReads, 'connections' | 'grants'>
  configured: ConfiguredTokens
}

/** How long to wait for the summary before App Home is shown without it. */
const SUMMARY_TIMEOUT_MS = 4000

/** The sections of App Home that don't belong to another feature: the setup, what is down, and for admins the settings. */
export const homeSections = (deps: HomeDeps): HomeSection[] => [
  {
    group: 'set-up',
    async section(context) {
      const [connection, roles] = await Promise.all([readConnection(deps, context), context.roles()])
      return connection ? [] : setUpView({ isAdmin: roles.has('admin') })
    },
  },
  {
    group: 'now',
    async section(context) {
      const connection = await readConnection(deps, context)
      return connection ? readSummary(deps, context, connection.environment) : []
    },
  },
  {
    group: 'settings',
    async section(context) {
      if (!(await context.roles()).has('admin')) return []
      const [connection, grants] = await Promise.all([
        readConnection(deps, context),
        deps.cached.grants(context.workspaceId),
      ])
      return connection ? settingsView(connection, { hasRoles: grants.length > 0 }) : []
    },
  },
  {
    group: 'help',
    section: async (context) => helpView((await readConnection(deps, context)) !== undefined),
  },
]

/** The environment that App Home shows: production, or OTE if only that is connected. Undefined if nothing is connected. */
async function readConnection(
  { cached, configured }: Pick<HomeDeps, 'cached' | 'configured'>,
  { workspaceId }: Pick<CommandContext, 'workspaceId'>,
): Promise<HomeConnection | undefined> {
  const stored = await cached.connections(workspaceId)
  return ENVIRONMENTS.map((environment) => ({
    environment,
    stored: stored.find((connection) => connection.environment === environment),
  })).find(({ environment, stored }) => stored !== undefined || configured[environment] !== undefined)
}

/** The summary of the environment, or the reason why it can't be read. */
async function readSummary(
  { summary }: Pick<HomeDeps, 'summary'>,
  context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
  environment: Environment,
): Promise<KnownBlock[]> {
  try {
    const blocks = await summary(context, environment, AbortSignal.timeout(SUMMARY_TIMEOUT_MS))
    // In App Home, commands without `--env` use production.
    return environment === 'production'
      ? blocks
      : rewriteCommands(blocks, ({ label, line }) => ({ label, line: `${line} --env ${environment}` }))
  } catch (error) {
    // Any other error is a bug. The caller logs it and shows its reference in App Home.
    if (!(error instanceof ApiError || error instanceof UserError)) throw error
    return problemView(describeError(error))
  }
}

function describeError(error: Error): string {
  if (error instanceof ApiError && error.kind === 'cancelled')
    return 'The service didn’t respond in time. Open Home again in a minute.'
  const { happened, serviceMessages, next } = explain(error)
  return [happened, ...quoteService(serviceMessages), next].filter(Boolean).join(' ')
}
