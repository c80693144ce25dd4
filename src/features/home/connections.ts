import { ApiError } from '../../api/errors.ts'
import { explain } from '../../bot/replies/explain.ts'
import { serviceSaid } from '../../bot/replies/service-said.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import { type Counts, countHealth } from './health.ts'
import type { HomeParts, HomeState } from './show-home.ts'

/** One environment: whose token it has, and how its health checks are, or why that is not known. */
export interface ConnectedEnvironment {
  environment: Environment
  /** Who stored the token and when; undefined for the operator's token. */
  stored: { userId: string; storedAt: Date } | undefined
  health: Counts | { problem: string }
}

/** The connections, shown at the end of Home. */
export async function readConnections(
  { cached, configured, hasOte = true }: HomeParts,
  context: Pick<CommandContext, 'workspaceId'>,
): Promise<Pick<HomeState, 'unconnected'> & { connected: readonly Omit<ConnectedEnvironment, 'health'>[] }> {
  const environments: Environment[] = hasOte ? ['production', 'ote'] : ['production']
  const stored = await cached.connections(context.workspaceId)
  const tokenOf = (environment: Environment) => stored.find((one) => one.environment === environment)
  const isConnected = (environment: Environment): boolean =>
    tokenOf(environment) !== undefined || configured[environment] !== undefined
  return {
    connected: environments
      .filter(isConnected)
      .map((environment) => ({ environment, stored: tokenOf(environment) })),
    unconnected: environments.filter((environment) => !isConnected(environment)),
  }
}

export async function healthOf(
  context: Pick<CommandContext, 'workspaceId' | 'api'>,
  environment: Environment,
  signal: AbortSignal,
): Promise<ConnectedEnvironment['health']> {
  try {
    return await countHealth(await context.api(environment), signal)
  } catch (error) {
    // Any other error is our fault: it is logged, and Home shows its reference.
    if (!(error instanceof ApiError || error instanceof UserError)) throw error
    return { problem: sentenceFor(error) }
  }
}

function sentenceFor(error: Error): string {
  if (error instanceof ApiError && error.kind === 'cancelled')
    return 'The service did not answer in time. Open Home again in a minute.'
  const { happened, said, next } = explain(error)
  return [happened, ...serviceSaid(said), next].filter(Boolean).join(' ')
}
