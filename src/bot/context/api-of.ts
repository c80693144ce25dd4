import { UserError } from '@signalman/runtime'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import type { Api, Credentials, Service } from '../../service/service.ts'
import type { CachedReads } from '../workspaces/cached-reads.ts'

/** Tokens given by configuration, for a deployment with one workspace; one stored from Slack comes first. */
export type ConfiguredTokens = Readonly<Partial<Record<Environment, string>>>

/** Opens the service with the workspace's own token. Throws UserError without a stored token or such an environment. */
export type ApiOf = (
  workspaceId: string,
  environment: Environment,
  use?: Pick<Credentials, 'person' | 'isPoll' | 'signal'>,
) => Promise<Api>

export function createApiOf(parts: {
  service: Service
  cached: Pick<CachedReads, 'connection'>
  configured: ConfiguredTokens
  /** False when the operator gave no address for OTE. */
  hasOte: boolean
}): ApiOf {
  const { service, cached, configured, hasOte } = parts
  return async (workspaceId, environment, use) => {
    if (environment === 'ote' && !hasOte) throw new UserError(NO_OTE)
    const stored = await cached.connection(workspaceId, environment)
    const token = stored?.token ?? configured[environment]
    if (!token) throw notConnected(environment)
    return service.with({ ...use, environment, token, caller: workspaceId })
  }
}

export const NO_OTE =
  'This deployment has no address for the OTE environment. Whoever runs it can set API_OTE_BASE_URL.'

function notConnected(environment: Environment): NotConnected {
  return new NotConnected(
    `No token for the ${ENVIRONMENT_NAMES[environment]} environment is stored yet, so there is nothing to ask the service with.`,
    [{ label: 'Store a token', line: `/hc connect --env ${environment}` }],
  )
}

/** Nobody has stored a token for this environment yet. */
export class NotConnected extends UserError {
  override readonly name = 'NotConnected'
}
