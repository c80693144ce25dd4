import { UserError } from '@signalman/runtime'
import type { ConfiguredTokens } from '../../bot/request/context.ts'
import { explain, quoteService } from '../../bot/request/explain.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CachedReads } from '../../bot/workspaces/cached-reads.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import type {
  ConnectedEnvironment,
  EnvironmentSummary,
  HomeEnvironment,
  HomeState,
} from './rules/home-state.ts'

type HomeContext = Pick<CommandContext, 'workspaceId' | 'api' | 'now'>

export interface HomeDeps {
  summary(context: HomeContext, environment: Environment, signal: AbortSignal): Promise<EnvironmentSummary>
  cached: Pick<CachedReads, 'connections' | 'grants'>
  configured: ConfiguredTokens
  /** False if the operator configured no address for OTE. */
  hasOte: boolean
  /** How long to wait for the summaries before App Home is shown without them; 4 s by default. */
  timeoutMs?: number
}

/** Reads the summaries of the connected environments. If the service fails, an environment has a problem message instead. */
export async function readHome(deps: HomeDeps, context: HomeContext): Promise<HomeState> {
  const { cached, timeoutMs = 4000 } = deps
  const [environments, grants] = await Promise.all([
    readEnvironments(deps, context),
    cached.grants(context.workspaceId),
  ])
  const signal = AbortSignal.timeout(timeoutMs)
  return {
    connected: await Promise.all(
      environments
        .filter(({ isConnected }) => isConnected)
        .map(async ({ environment }) => ({
          environment,
          health: await readHealth(deps, context, environment, signal),
        })),
    ),
    hasRoles: grants.some(({ role }) => role === 'operator'),
  }
}

export async function readEnvironments(
  { cached, configured, hasOte }: HomeDeps,
  { workspaceId }: Pick<CommandContext, 'workspaceId'>,
): Promise<HomeEnvironment[]> {
  const connections = await cached.connections(workspaceId)
  return ENVIRONMENTS.filter((environment) => environment !== 'ote' || hasOte).map((environment) => {
    const stored = connections.find((connection) => connection.environment === environment)
    return { environment, stored, isConnected: stored !== undefined || configured[environment] !== undefined }
  })
}

async function readHealth(
  { summary }: Pick<HomeDeps, 'summary'>,
  context: HomeContext,
  environment: Environment,
  signal: AbortSignal,
): Promise<ConnectedEnvironment['health']> {
  try {
    return await summary(context, environment, signal)
  } catch (error) {
    // Any other error is a bug. The caller logs it and shows its reference in App Home.
    if (!(error instanceof ApiError || error instanceof UserError)) throw error
    return { problem: describeError(error) }
  }
}

function describeError(error: Error): string {
  if (error instanceof ApiError && error.kind === 'cancelled')
    return 'The service didn’t respond in time. Open Home again in a minute.'
  const { happened, serviceMessages, next } = explain(error)
  return [happened, ...quoteService(serviceMessages), next].filter(Boolean).join(' ')
}
