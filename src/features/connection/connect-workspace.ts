import { SealError } from '@signalman/durable'
import { Notice, UserError } from '@signalman/runtime'
import type { ConfiguredTokens } from '../../bot/request/context.ts'
import { explain, quoteService } from '../../bot/request/explain.ts'
import type { ActSteps, Requester } from '../../bot/routes/command-context.ts'
import type { Connections } from '../../bot/workspaces/connections.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import { type Api, accountFromToken, type Service } from '../../service/service.ts'
import { CONNECTION, type ConnectOutcome } from './rules/connection.ts'

export interface ConnectWorkspaceDeps {
  connections: Connections
  service: Service
  /** Tokens that the operator configured, used if none is stored. */
  configured: ConfiguredTokens
}

/**
 * Tests the token by listing a single health check, and stores it only if that works. Otherwise, throws a Notice that says why
 * nothing was stored. No message contains the token.
 */
export async function connectWorkspace(
  { connections, service, configured }: ConnectWorkspaceDeps,
  { workspaceId, userId, now, decide, once }: Requester & ActSteps,
  {
    environment,
    token,
    isGenerated = false,
  }: { environment: Environment; token: string; isGenerated?: boolean },
): Promise<ConnectOutcome> {
  // Remembered, so that a resume after a crash doesn't test again: the token may be stored already, and the test could fail.
  const { total, before, account } = await once('tested', async () => {
    const api = service.with({ environment, token, caller: workspaceId })
    const { total } = await api.healthChecks.list({ limit: 1 }).catch((error: unknown) => {
      throw isGenerated ? toGeneratedTokenError(error, token) : toTestError(error, environment, token)
    })
    const stored = await connections.list(workspaceId)
    const before = stored.find((connection) => connection.environment === environment)
    const current =
      (await findStoredToken(connections, workspaceId, environment)) ??
      toCurrentToken(configured[environment])
    const account = await chooseAccount(api, token, { current, isGenerated })
    return { total, before, account }
  })
  await decide(
    {
      verb: '/hc connect',
      object: CONNECTION,
      environment,
      before: before && { storedBy: before.userId, storedAt: before.storedAt.toISOString() },
    },
    async (decisions) => {
      const { list, save } = connections.within(decisions)
      const stored = (await list(workspaceId)).find((connection) => connection.environment === environment)
      // Replaces only the token that was stored during the test.
      if (!stored || stored.storedAt.getTime() === before?.storedAt.getTime())
        return save({ environment, token, userId, account, now })
      const conflict = `Another token for the ${ENVIRONMENT_NAMES[environment]} environment was stored in the meantime, and Signalman uses that one.`
      throw new UserError(
        isGenerated
          ? `${conflict} ${TOKEN_UNUSED}`
          : `${conflict} Yours wasn’t stored. To use it anyway, submit again.`,
      )
    },
  )
  return { visible: total, replaced: before !== undefined }
}

interface CurrentToken {
  readonly token: string
  readonly account: string
}

/** The stored token. Undefined if it can't be decrypted, because storing another one fixes that. */
async function findStoredToken(
  connections: Connections,
  workspaceId: string,
  environment: Environment,
): Promise<CurrentToken | undefined> {
  try {
    return await connections.find(workspaceId, environment)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

const toCurrentToken = (token: string | undefined): CurrentToken | undefined =>
  token === undefined ? undefined : { token, account: accountFromToken(token) }

/**
 * Returns the account of a new token. It's the current one if the current token was used to generate the new one, or if the new token
 * lists it. Otherwise, it counts as another one.
 */
async function chooseAccount(
  api: Api,
  token: string,
  { current, isGenerated }: { current: CurrentToken | undefined; isGenerated: boolean },
): Promise<string> {
  if (!current) return accountFromToken(token)
  if (isGenerated || current.token === token) return current.account
  try {
    const { tokens } = await api.tokens.list()
    return tokens.some((active) => active.token === current.token) ? current.account : accountFromToken(token)
  } catch (error) {
    // The service couldn't say which account this is.
    if (error instanceof ApiError) return accountFromToken(token)
    throw error
  }
}

function toTestError(error: unknown, environment: Environment, token: string): unknown {
  if (!(error instanceof ApiError)) return error
  const name = ENVIRONMENT_NAMES[environment]
  if (error.kind === 'unauthorized')
    return new Notice(
      `The service doesn’t accept this token for the ${name} environment. Nothing was stored. Check that you copied the whole token and that it belongs to ${name}, then paste it again.`,
    )
  if (error.kind === 'forbidden')
    return new Notice(
      `The service doesn’t allow this token to list health checks, so Signalman couldn’t test it. Nothing was stored.${serviceSentence(error, token)}`,
    )
  return new Notice(
    `${explain(error).happened} Signalman couldn’t test the token, so it wasn’t stored.${serviceSentence(error, token)} Try again in a few minutes. You’ll have to paste the token again.`,
  )
}

const TOKEN_UNUSED =
  'Signalman doesn’t use the new token, and no one has a copy. It may stay active in the service.'

/** The error if a generated token couldn't be tested. No one has seen that token, so it is lost. */
function toGeneratedTokenError(error: unknown, token: string): unknown {
  if (!(error instanceof ApiError)) return error
  return new UserError(
    `${explain(error).happened} Signalman couldn’t test the new token.${serviceSentence(error, token)} ${TOKEN_UNUSED} Generate another one in a few minutes.`,
  )
}

/** Quotes the service's error messages, with the token masked in case the service repeats it. */
function serviceSentence({ serviceMessages: messages }: ApiError, token: string): string {
  return quoteService(messages)
    .map((sentence) => ` ${sentence.replaceAll(token, '[token]')}`)
    .join('')
}
