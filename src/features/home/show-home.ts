import type { ConfiguredTokens } from '../../bot/context/api-of.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { CachedReads } from '../../store/workspaces/cached-reads.ts'
import { type ConnectedEnvironment, healthOf, readConnections } from './connections.ts'

export interface HomeState {
  connected: readonly ConnectedEnvironment[]
  /** Environments that could have a token and have none. */
  unconnected: readonly Environment[]
  /** Whether somebody was given a role that may change health checks. */
  hasRoles: boolean
}

export interface HomeParts {
  cached: Pick<CachedReads, 'connections' | 'grants'>
  configured: ConfiguredTokens
  /** False when the operator gave no address for OTE. */
  hasOte?: boolean
  /** How long Home waits for the service before it is shown without the answer; 4 s unless given. */
  patienceMs?: number
}

/** Everything that Home shows. When the service fails, a sentence says so instead. */
export async function readHome(
  parts: HomeParts,
  context: Pick<CommandContext, 'workspaceId' | 'api'>,
): Promise<HomeState> {
  const { cached, patienceMs = 4000 } = parts
  const [{ connected, unconnected }, given] = await Promise.all([
    readConnections(parts, context),
    cached.grants(context.workspaceId),
  ])
  const signal = AbortSignal.timeout(patienceMs)
  return {
    connected: await Promise.all(
      connected.map(async (one) => ({ ...one, health: await healthOf(context, one.environment, signal) })),
    ),
    unconnected,
    hasRoles: given.some(({ role }) => role === 'operator'),
  }
}
