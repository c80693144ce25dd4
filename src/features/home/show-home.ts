import { UserError } from '@signalman/runtime'
import type { ConfiguredTokens } from '../../bot/context/make-context.ts'
import { explain, serviceSaid } from '../../bot/replies/explain.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CachedReads } from '../../bot/workspaces/cached-reads.ts'
import type { Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'

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

/** How many health checks there are, in all and by status. */
export interface Counts {
  total: number
  unhealthy: number
  installing: number
  healthy: number
  /** The first unhealthy checks, by name. */
  down: readonly HealthCheck[]
}

const SHOWN = 5

/** Makes four small listings, however many checks there are. Throws ApiError, `cancelled` when `signal` ends it. */
export async function countHealth({ healthChecks }: Api, signal: AbortSignal): Promise<Counts> {
  const count = async (status?: string): Promise<number> =>
    (await healthChecks.list({ limit: 1, ...(status && { status }) }, signal)).total
  const [total, { total: unhealthy, results: down }, installing, healthy] = await Promise.all([
    count(),
    healthChecks.list({ status: 'UNHEALTHY', limit: SHOWN }, signal),
    count('INSTALLING'),
    count('HEALTHY'),
  ])
  return { total, unhealthy, installing, healthy, down }
}
