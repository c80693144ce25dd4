import type { Audit, IdempotencyKeys } from '@signalman/durable'
import { type Caller, callerOf, type SlackClients } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type Access, type Demand, maxAgeOf } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { RefusalLog } from '../access/refusal-log.ts'
import { recording } from '../audit/audited-step.ts'
import { type BindButtons, createBindUnasked } from '../buttons/bind-buttons.ts'
import type { CommandContext, HandledRequest } from '../routes/command-context.ts'
import type { ApiOf } from './api-of.ts'

/** Nothing is written, posted or told before the person is admitted; `signal` ends the reading if they are not. */
export type MakeContext = (
  request: Caller & Pick<HandledRequest, 'act'>,
  environment: Environment,
  admission: Actor | Promise<Actor>,
  demand: Demand,
  signal?: AbortSignal,
) => CommandContext

/** Makes the context of one request. */
export function createContexts(parts: {
  apiOf: ApiOf
  clients: SlackClients
  access: Pick<Access, 'actorOf' | 'rolesOf' | 'hasRole' | 'hasRoleOrThrow' | 'admit'>
  bindButtons: BindButtons
  audit: Audit
  refusalLog: Pick<RefusalLog, 'write'>
  idempotencyKeys: IdempotencyKeys
  now: () => Date
}): MakeContext {
  const { apiOf, clients, access, bindButtons, audit, refusalLog, idempotencyKeys, now } = parts

  const ready = createBindUnasked(bindButtons)

  /** A read looks roles up once, in the read cache; an act looks them up each time, as they are then. */
  function rolesIn(
    request: Parameters<MakeContext>[0],
    admission: Actor | Promise<Actor>,
    { usesCache }: Demand,
  ) {
    const look = async () => access.rolesOf(request, await admission, { usesCache: !request.act })
    let known: ReturnType<typeof look> | undefined
    return () => {
      if (!usesCache) return look()
      known ??= look()
      return known
    }
  }

  return (request, environment, admission, demand, signal) => ({
    ...callerOf(request),
    environment,
    actor: async () => admission,
    now: now(),
    api: (wanted = environment, { shared = false } = {}) =>
      apiOf(request.workspaceId, wanted, { person: request.userId, signal: shared ? undefined : signal }),
    roles: rolesIn(request, admission, demand),
    actorOf: (userId) =>
      access.actorOf(
        { workspaceId: request.workspaceId, enterpriseId: request.enterpriseId, userId },
        maxAgeOf(demand),
      ),
    hasRole: (userId, role) => access.hasRole(request, userId, role, maxAgeOf(demand)),
    hasRoleOrThrow: (userId, role) => access.hasRoleOrThrow(request, userId, role),
    async slack() {
      await admission
      return clients.of(request)
    },
    async tell(userId, message) {
      await admission
      return (await clients.of(request)).postDirect(userId, await ready(request, environment, message))
    },
    async amend(posted, message) {
      await admission
      await (await clients.of(request)).edit(posted, await ready(request, environment, message))
    },
    ...recording({
      audit,
      refusalLog,
      idempotencyKeys,
      request,
      environment,
      admission,
      now,
      readmit: () => access.admit(request, demand),
    }),
  })
}
