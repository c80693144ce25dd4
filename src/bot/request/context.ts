// This folder gives a request what it needs: its limits, its context, and the explanation of its error.

import { type Audit, SealError } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { type Caller, type SlackClients, toCaller, type Workspace } from '@signalman/slack'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import type { PollFailure } from '../../domain/outages/outage.ts'
import type { Roles } from '../../domain/roles.ts'
import { tellCommand, writeCommand } from '../../domain/write-command.ts'
import { ApiError } from '../../service/errors.ts'
import type { Api, Credentials, Service } from '../../service/service.ts'
import { type Access, type AccessRequirement, cacheMaxAge } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { RefusalLog } from '../access/refusal-log.ts'
import { createAuditedSteps } from '../audit/audited-step.ts'
import type { CommandContext, HandledRequest, Messaging, PostPermission } from '../routes/command-context.ts'
import type { CachedReads } from '../workspaces/cached-reads.ts'
import type { Connections } from '../workspaces/connections.ts'

/** Creates the context of one request, for a person who was authorized. */
export type MakeContext = (
  request: Caller & Pick<HandledRequest, 'act'>,
  environment: Environment,
  actor: Actor,
  requirement: AccessRequirement,
) => CommandContext

export function createMakeContext(deps: {
  getApi: GetApi
  clients: SlackClients
  mayPost: (workspace: Workspace, ...asked: Parameters<Messaging['mayPost']>) => Promise<PostPermission>
  access: Pick<Access, 'findActor' | 'findRoles' | 'hasRole' | 'authorize'>
  cached: Pick<CachedReads, 'channelEnvironment'>
  audit: Audit
  refusalLog: Pick<RefusalLog, 'write'>
  now: () => Date
}): MakeContext {
  const { getApi, clients, mayPost, access, cached, audit, refusalLog, now } = deps

  return (request, environment, actor, requirement) => {
    let roles: Promise<Roles> | undefined
    return {
      ...toCaller(request),
      environment,
      actor,
      now: now(),
      api: (apiEnvironment = environment) =>
        getApi(request.workspaceId, apiEnvironment, {
          usesCache: requirement.usesCache === true && !request.act,
        }),
      authorize: ({ line: verb, needs, guests = false }) =>
        access.authorize(request, { verb, needs, guests, usesCache: requirement.usesCache === true }),
      // A read looks them up once, and may use the read cache. An act looks them up in the database each time.
      roles() {
        if (!roles || !requirement.usesCache)
          roles = access.findRoles(request, actor, {
            usesCache: !request.act,
            maxAgeMs: cacheMaxAge(requirement),
          })
        return roles
      },
      findActor: (userId) =>
        access.findActor(
          { workspaceId: request.workspaceId, enterpriseId: request.enterpriseId, userId },
          cacheMaxAge(requirement),
        ),
      hasRole: (userId, role) => access.hasRole(request, userId, role, cacheMaxAge(requirement)),
      slack: () => clients.forWorkspace(request),
      mayPost: (...asked) => mayPost(request, ...asked),
      async tell(verb, parts) {
        const { workspaceId, channelId } = request
        const typedIn = channelId ? await cached.channelEnvironment(workspaceId, channelId) : undefined
        return tellCommand(verb, { environment, ...parts }, typedIn)
      },
      ...createAuditedSteps({
        audit,
        refusalLog,
        request,
        environment,
        now,
        recheckAccess: () => access.authorize(request, requirement),
      }),
    }
  }
}

/** Tokens from the configuration, for a deployment with one workspace. A token stored from Slack takes precedence. */
export type ConfiguredTokens = Readonly<Partial<Record<Environment, string>>>

/**
 * Opens the service with the workspace's token. For polls and with `usesCache`, the token may be a second old. Throws UserError if
 * no token is stored or the deployment doesn't have the environment.
 */
export type GetApi = (
  workspaceId: string,
  environment: Environment,
  use?: Pick<Credentials, 'isPoll'> & { readonly usesCache?: boolean },
) => Promise<Api>

export function createApiFactory(deps: {
  service: Service
  cached: Pick<CachedReads, 'connection'>
  connections: Pick<Connections, 'find'>
  configured: ConfiguredTokens
  /** False if the operator configured no address for OTE. */
  hasOte: boolean
}): GetApi {
  const { service, cached, connections, configured, hasOte } = deps
  return async (workspaceId, environment, { usesCache = false, ...use } = {}) => {
    if (environment === 'ote' && !hasOte) throw new UserError(NO_OTE, [USE_PRODUCTION])
    const find = usesCache || use.isPoll ? cached.connection : connections.find
    const stored = await find(workspaceId, environment)
    const token = stored?.token ?? configured[environment]
    if (!token) throw notConnectedError(environment)
    return service.with({ ...use, environment, token, account: stored?.account, caller: workspaceId })
  }
}

export const NO_OTE = 'This deployment has no OTE environment. Its operator can set API_OTE_BASE_URL.'
/** For a channel that was switched to OTE when there was one. */
const USE_PRODUCTION = { label: 'Use production here', line: '/hc env production' }

function notConnectedError(environment: Environment): NotConnected {
  return new NotConnected(
    `Signalman has no token for the ${ENVIRONMENT_NAMES[environment]} environment, so it can’t reach the service.`,
    [{ label: 'Store a token', line: writeCommand('/hc connect', { environment }) }],
  )
}

/** Nobody has stored a token for this environment yet. */
export class NotConnected extends UserError {
  override readonly name = 'NotConnected'
}

/** Classifies an error of the service. A UserError means that it has no address or no token, and a SealError that no key opens its token. */
export function toServiceFailure(error: unknown): PollFailure {
  if (error instanceof UserError || error instanceof SealError) return 'not-connected'
  if (!(error instanceof ApiError)) return 'unreachable'
  const { kind, status } = error
  if (kind === 'unauthorized' || kind === 'rate-limited' || kind === 'unreadable') return kind
  if (kind !== 'unavailable' && status !== undefined) return 'refused'
  return status !== undefined && status >= 500 ? 'failing' : 'unreachable'
}
