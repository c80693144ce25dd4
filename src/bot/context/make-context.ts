import type { Api, Service } from '../../api/service.ts'
import type { Message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import { ENVIRONMENT_NAMES } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import { type Acting, type Asker, askerOf } from '../../slack/receive/origin.ts'
import type { Audit } from '../../store/audit/audit.ts'
import type { IdempotencyKeys } from '../../store/work/idempotency-keys.ts'
import type { CachedReads } from '../../store/workspaces/cached-reads.ts'
import type { Access, Demand } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import { recording } from '../audit/audited-step.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { CommandContext } from '../routes/command-context.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import { NotConnected } from './not-connected.ts'

/** Tokens given by configuration, for a deployment with one workspace; one stored from Slack comes first. */
export type ConfiguredTokens = Readonly<Partial<Record<Environment, string>>>

/** Opens the service with the workspace's own token. Throws UserError without a stored token or such an environment. */
export type ApiOf = (workspaceId: string, environment: Environment, signal?: AbortSignal) => Promise<Api>

export function createApiOf(parts: {
  service: Service
  cached: Pick<CachedReads, 'connection'>
  configured: ConfiguredTokens
  /** False when the operator gave no address for OTE. */
  hasOte: boolean
}): ApiOf {
  const { service, cached, configured, hasOte } = parts
  return async (workspaceId, environment, signal) => {
    if (environment === 'ote' && !hasOte) throw new UserError(NO_OTE)
    const stored = await cached.connection(workspaceId, environment)
    const token = stored?.token ?? configured[environment]
    if (!token) throw notConnected(environment)
    return service.with({ environment, token, signal })
  }
}

/** Nothing is written, posted or told before the person is admitted; the signal stops the reading for one who is not. */
export type MakeContext = (
  place: Asker & Pick<HandledRequest, 'act'>,
  environment: Environment,
  admission: Actor | Promise<Actor>,
  demand: Demand,
  signal?: AbortSignal,
) => CommandContext

/** Makes the context of one request. */
export function createContexts(parts: {
  apiOf: ApiOf
  clients: SlackClients
  access: Pick<Access, 'rolesOf' | 'holds' | 'proves' | 'admit'>
  bindButtons: BindButtons
  audit: Audit
  idempotencyKeys: IdempotencyKeys
  now: () => Date
}): MakeContext {
  const { apiOf, clients, access, bindButtons, audit, idempotencyKeys, now } = parts

  /** A button in a direct message belongs to that conversation, wherever it was asked. */
  async function ready(
    { workspaceId }: Acting,
    environment: Environment,
    message: Message,
  ): Promise<Message> {
    return { ...message, blocks: await bindButtons({ workspaceId }, environment, message.blocks) }
  }

  /** A read takes roles from the read cache, once, as it shows one moment; an act reads them as they are now, each time. */
  function rolesIn(place: Parameters<MakeContext>[0], admission: Actor | Promise<Actor>, { reads }: Demand) {
    const look = async () => access.rolesOf(place, await admission, { reads: !place.act })
    let known: ReturnType<typeof look> | undefined
    return () => {
      if (!reads) return look()
      known ??= look()
      return known
    }
  }

  return (place, environment, admission, demand, signal) => ({
    ...askerOf(place),
    environment,
    actor: async () => admission,
    now: now(),
    api: (wanted = environment, { shared = false } = {}) =>
      apiOf(place.workspaceId, wanted, shared ? undefined : signal),
    roles: rolesIn(place, admission, demand),
    holds: (userId, role) => access.holds(place, userId, role),
    proves: (userId, role) => access.proves(place, userId, role),
    async slack() {
      await admission
      return clients.of(place)
    },
    async tell(userId, message) {
      await admission
      return (await clients.of(place)).postDirect(userId, await ready(place, environment, message))
    },
    async amend(posted, message) {
      await admission
      await (await clients.of(place)).edit(posted, await ready(place, environment, message))
    },
    ...recording({
      audit,
      idempotencyKeys,
      place,
      environment,
      admission,
      now,
      readmit: () => access.admit(place, demand),
    }),
  })
}

export const NO_OTE =
  'This deployment has no address for the OTE environment. Whoever runs it can set API_OTE_BASE_URL.'

function notConnected(environment: Environment): NotConnected {
  return new NotConnected(
    `No token for the ${ENVIRONMENT_NAMES[environment]} environment is stored yet, so there is nothing to ask the service with.`,
    [{ label: 'Store a token', line: `/hc connect --env ${environment}` }],
  )
}
