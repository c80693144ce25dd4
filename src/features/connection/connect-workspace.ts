import { SealError } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { ConfiguredTokens } from '../../bot/request/context.ts'
import { explain, quoteService } from '../../bot/request/explain.ts'
import type { ActSteps, Requester } from '../../bot/routes/command-context.ts'
import type { Connections } from '../../bot/workspaces/connections.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import { type Api, accountFromToken, type Service } from '../../service/service.ts'
import { type ConnectOutcome, connectionName } from './rules/connection.ts'

export interface ConnectParts {
  connections: Connections
  service: Service
  /** Tokens that the operator configured, used if none is stored. */
  configured: ConfiguredTokens
}

/**
 * Tests the token with the smallest possible listing, and stores it only if the service answers. Throws UserError that says
 * why nothing was stored; no message contains the token.
 */
export async function connectWorkspace(
  { connections, service, configured }: ConnectParts,
  { workspaceId, userId, now, change, keep }: Requester & ActSteps,
  { environment, token, isNew = false }: { environment: Environment; token: string; isNew?: boolean },
): Promise<ConnectOutcome> {
  // Recorded, so that a continuation after storing the token doesn't report that it wasn't.
  const { total, at, before, account } = await keep('tested', async () => {
    const api = service.with({ environment, token, caller: workspaceId })
    const { total } = await api.healthChecks.list({ limit: 1 }).catch((error: unknown) => {
      throw isNew ? tokenRejected(error, token) : storeFailed(error, environment, token)
    })
    const stored = await connections.list(workspaceId)
    const before = stored.find((connection) => connection.environment === environment)
    const used =
      (await storedToken(connections, workspaceId, environment)) ?? configuredToken(configured[environment])
    return { total, at: now, before, account: await chooseAccount(api, token, { used, isNew }) }
  })
  await change(
    {
      verb: '/hc connect',
      object: connectionName(environment),
      before: before && { storedBy: before.userId, storedAt: before.storedAt.toISOString() },
      after: { storedBy: userId, storedAt: at.toISOString() },
      isRepeatable: true,
    },
    async () => {
      const over = [at, ...(before ? [before.storedAt] : [])]
      if (await connections.save({ workspaceId, environment, token, userId, account, now: at, over })) return
      const newer = `Someone else stored another token for the ${ENVIRONMENT_NAMES[environment]} environment in the meantime, and Signalman uses that one.`
      throw new UserError(
        isNew ? `${newer} ${LEFT_UNUSED}` : `${newer} Yours wasn’t stored. To use it anyway, submit again.`,
      )
    },
  )
  return { visible: total, replaced: before !== undefined }
}

interface UsedToken {
  readonly token: string
  readonly account: string
}

/** A stored token that can't be decrypted counts as none: storing another one fixes that. */
async function storedToken(
  connections: Connections,
  workspaceId: string,
  environment: Environment,
): Promise<UsedToken | undefined> {
  try {
    return await connections.find(workspaceId, environment)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

const configuredToken = (token: string | undefined): UsedToken | undefined =>
  token === undefined ? undefined : { token, account: accountFromToken(token) }

/**
 * The account of a token: that of the previous token if Signalman generated the new one with it, or if the new token's list
 * contains it.
 */
async function chooseAccount(
  api: Api,
  token: string,
  { used, isNew }: { used: UsedToken | undefined; isNew: boolean },
): Promise<string> {
  if (!used) return accountFromToken(token)
  if (isNew || used.token === token) return used.account
  try {
    const { tokens } = await api.tokens.list()
    return tokens.some((active) => active.token === used.token) ? used.account : accountFromToken(token)
  } catch (error) {
    // A token that can't list tokens proves nothing.
    if (error instanceof ApiError) return accountFromToken(token)
    throw error
  }
}

function storeFailed(error: unknown, environment: Environment, token: string): unknown {
  if (!(error instanceof ApiError)) return error
  const name = ENVIRONMENT_NAMES[environment]
  if (error.kind === 'unauthorized')
    return new UserError(
      `The service doesn’t accept this token for the ${name} environment. Nothing was stored. Check that you copied the whole token and that it belongs to ${name}, then paste it again.`,
    )
  if (error.kind === 'forbidden')
    return new UserError(
      `The service doesn’t allow this token to list health checks, so Signalman couldn’t test it. Nothing was stored.${serviceSentence(error, token)}`,
    )
  return new UserError(
    `${explain(error).happened} Signalman couldn’t test the token, so it wasn’t stored.${serviceSentence(error, token)} Try again in a few minutes. You’ll have to paste the token again.`,
  )
}

const LEFT_UNUSED =
  'Signalman doesn’t use the new token. It stays active in the service, but no one has a copy.'

/** About a token that was just generated and that nobody has seen. */
function tokenRejected(error: unknown, token: string): unknown {
  if (!(error instanceof ApiError)) return error
  const happened =
    error.kind === 'unauthorized' ? 'The service doesn’t accept the new token.' : explain(error).happened
  return new UserError(
    `${happened} Signalman couldn’t test the new token.${serviceSentence(error, token)} ${LEFT_UNUSED} Generate another one in a few minutes.`,
  )
}

/** A service may echo the token in its error, and nobody may see that. */
function serviceSentence({ serviceMessages: said }: ApiError, token: string): string {
  return quoteService(said)
    .map((sentence) => ` ${sentence.replaceAll(token, '[token]')}`)
    .join('')
}
