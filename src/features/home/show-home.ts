import type { ConfiguredTokens } from '../../bot/context/api-of.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { CachedReads } from '../../store/workspaces/cached-reads.ts'
import { type ConnectedEnvironment, healthOf, readConnections } from './connections.ts'

export interface HomeState {
  connected: readonly ConnectedEnvironment[]
  /** Environments without a token, that could have one. */
  unconnected: readonly Environment[]
  /** Whether somebody has said who may change health checks. */
  hasRoles: boolean
}

export interface HomeParts {
  cached: Pick<CachedReads, 'connections' | 'grants'>
  configured: ConfiguredTokens
  /** False when the operator gave no address for OTE. */
  hasOte?: boolean
  /** How long Home waits for the service before it shows without its answer; 4 s unless given. */
  patienceMs?: number
}

/** All that Home shows. Never fails because of the service: what it would have said is then a sentence. */
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
