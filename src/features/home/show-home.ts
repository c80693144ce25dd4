import { ApiError } from '../../api/errors.ts'
import type { ConfiguredTokens } from '../../bot/context/make-context.ts'
import { explain } from '../../bot/replies/explain.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import type { CachedReads } from '../../store/workspaces/cached-reads.ts'
import { type Counts, countHealth } from './health.ts'

/** One environment that can be asked: whose token it is, and how its health checks are, or why that is not known. */
export interface ConnectedEnvironment {
  environment: Environment
  /** Who stored the token and when; undefined when it is the operator's. */
  stored: { userId: string; storedAt: Date } | undefined
  health: Counts | { problem: string }
}

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
  { cached, configured, hasOte = true, patienceMs = 4000 }: HomeParts,
  ask: Pick<CommandContext, 'workspaceId' | 'api'>,
): Promise<HomeState> {
  const environments: Environment[] = hasOte ? ['production', 'ote'] : ['production']
  const [stored, given] = await Promise.all([
    cached.connections(ask.workspaceId),
    cached.grants(ask.workspaceId),
  ])
  const tokenOf = (environment: Environment) => stored.find((one) => one.environment === environment)
  const isConnected = (environment: Environment): boolean =>
    tokenOf(environment) !== undefined || configured[environment] !== undefined
  const signal = AbortSignal.timeout(patienceMs)
  return {
    connected: await Promise.all(
      environments.filter(isConnected).map(async (environment) => ({
        environment,
        stored: tokenOf(environment),
        health: await healthOf(ask, environment, signal),
      })),
    ),
    unconnected: environments.filter((environment) => !isConnected(environment)),
    hasRoles: given.some(({ role }) => role === 'operator'),
  }
}

async function healthOf(
  ask: Pick<CommandContext, 'workspaceId' | 'api'>,
  environment: Environment,
  signal: AbortSignal,
): Promise<ConnectedEnvironment['health']> {
  try {
    return await countHealth(await ask.api(environment), signal)
  } catch (error) {
    // Anything else is ours to mend: it goes on to the log, and Home shows its reference.
    if (!(error instanceof ApiError || error instanceof UserError)) throw error
    return { problem: sentenceFor(error) }
  }
}

function sentenceFor(error: Error): string {
  if (error instanceof ApiError && error.kind === 'cancelled')
    return 'The service did not answer in time. Open Home again in a minute.'
  const { happened, said, next } = explain(error)
  return [happened, ...said.map((sentence) => `The service said: “${sentence}”`), next]
    .filter(Boolean)
    .join(' ')
}
