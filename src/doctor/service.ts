import type { Store } from '../app/store.ts'
import type { Config } from '../config.ts'
import { cmd } from '../domain/command-names.ts'
import { ENVIRONMENTS, type Environment, TOKEN_VARIABLES } from '../domain/environment.ts'
import { tellCommand } from '../domain/write-command.ts'
import { ApiError } from '../service/errors.ts'
import { createService } from '../service/service.ts'
import {
  advice,
  catchSealError,
  type DoctorFinding,
  examineAll,
  fault,
  ok,
  skipped,
  unreachable,
} from './finding.ts'

interface ServiceToken {
  /** The name of the variable, or the workspace that stored it. */
  owner: string
  environment: Environment
  /** Resolves with `undecryptable` if it can't be decrypted, and with undefined if it was removed meanwhile. */
  read: () => Promise<string | undefined>
}

/** The tokens for the service: first those in the environment, then those that workspaces have stored. */
async function listTokens(
  configured: Partial<Record<Environment, string | undefined>>,
  store: Pick<Store, 'connections'> | undefined,
): Promise<ServiceToken[]> {
  const stored = (await store?.connections.listAll()) ?? []
  return [
    ...ENVIRONMENTS.flatMap((environment) => {
      const token = configured[environment]
      return token ? [{ owner: TOKEN_VARIABLES[environment], environment, read: async () => token }] : []
    }),
    ...stored.map(({ workspaceId: owner, environment }) => ({
      owner,
      environment,
      read: async () => {
        const connection = await store?.connections.find(owner, environment).catch(catchSealError)
        return connection === 'undecryptable' ? connection : connection?.token
      },
    })),
  ]
}

export async function examineService(
  { service: { baseUrl, oteBaseUrl, tokens } }: Pick<Config, 'service'>,
  store: Store | undefined,
  timeUp?: Promise<void>,
): Promise<DoctorFinding[]> {
  // Nothing is sent to the placeholder: without an address for OTE, its tokens are reported by `missingAddress`.
  const baseUrls = { production: baseUrl, ote: oteBaseUrl ?? 'http://ote.invalid' }
  await using service = createService({ baseUrls, retry: { attempts: 2 } })

  async function examineServiceToken({ owner, environment, read }: ServiceToken): Promise<DoctorFinding[]> {
    const part = `service ${environment} (${owner})`
    const token = await read()
    if (token === undefined) return []
    if (token === 'undecryptable')
      return [
        fault(
          part,
          'The stored token can’t be decrypted.',
          `An admin of the workspace types ${tellCommand('/hc connect', { environment })}.`,
        ),
      ]
    if (environment === 'ote' && oteBaseUrl === undefined) return [missingAddress(part)]
    try {
      await service.with({ environment, token }).healthChecks.list({ limit: 1 })
      return [ok(part, 'It responds and accepts the token.')]
    } catch (error) {
      return [explainRefusal(part, error, { baseUrl: baseUrls[environment], owner, environment })]
    }
  }

  const all = await listTokens(tokens, store)
  const examined = ENVIRONMENTS.map((environment) =>
    examineAll(
      `service ${environment}`,
      all.filter((token) => token.environment === environment),
      examineServiceToken,
      timeUp,
    ),
  )
  const findings = (await Promise.all(examined)).flat()
  if (!store)
    return [
      ...findings,
      skipped('service', 'Stored tokens weren’t checked, because the database couldn’t be opened.'),
    ]
  return findings.length > 0
    ? findings
    : [
        advice(
          'service',
          'No workspace has a stored token.',
          `An admin types ${cmd('/hc connect')} in Slack.`,
        ),
      ]
}

/** Reports a stored token for OTE when the address of OTE isn't configured. */
const missingAddress = (part: string): DoctorFinding =>
  fault(
    part,
    'It is stored, but API_OTE_BASE_URL isn’t set.',
    `Set API_OTE_BASE_URL, or have an admin of the workspace type ${tellCommand('/hc disconnect', { environment: 'ote' })}.`,
  )

function explainRefusal(
  part: string,
  error: unknown,
  { baseUrl, owner, environment }: { baseUrl: string; owner: string; environment: Environment },
): DoctorFinding {
  const { origin } = new URL(baseUrl)
  if (!(error instanceof ApiError) || error.status === undefined) return unreachable(part, origin, error)
  const { kind } = error
  const fix = owner.startsWith('API_')
    ? `Set ${owner} to a token that is active.`
    : `An admin of the workspace types ${tellCommand('/hc connect', { environment })}.`
  if (kind === 'unauthorized') return fault(part, 'It doesn’t accept the token.', fix)
  if (kind === 'forbidden') return fault(part, 'The token isn’t allowed to read health checks.', fix)
  if (isOtherServer(error)) return otherServer(baseUrl, error)
  const { status, obstacle } = error
  return fault(
    part,
    `${origin} responds with ${status}.${obstacle ? ` ${obstacle}` : ''}`,
    fixForService(error),
  )
}

/** The part of a finding about an address rather than about a token. */
export const ADDRESS_PART = 'service address'

/** The service lists its health checks, and answers with JSON. */
const isOtherServer = ({ kind, status }: ApiError): boolean => kind === 'unreadable' || status === 404

/** Reports an address where something else responds. The service's own paths begin at the root of its host. */
function otherServer(baseUrl: string, error?: ApiError): DoctorFinding {
  const { origin, pathname } = new URL(baseUrl)
  return fault(
    ADDRESS_PART,
    `Something other than the service responds at ${baseUrl}.${error?.obstacle ? ` ${error.obstacle}` : ''}`,
    pathname === '/'
      ? 'Fix API_BASE_URL or API_OTE_BASE_URL.'
      : `The address is probably ${origin}, without ${pathname}. Fix API_BASE_URL or API_OTE_BASE_URL.`,
  )
}

/** Checks an address before there is a token, by a request that the service must refuse. */
export async function examineAddress(baseUrl: string): Promise<DoctorFinding> {
  const part = 'service'
  // The service may refuse any request without a token, so a path that its own paths begin with is noticed here.
  if (/\/v\d+(?:\/|$)/.test(new URL(baseUrl).pathname)) return otherServer(baseUrl)
  await using service = createService({
    baseUrls: { production: baseUrl, ote: 'http://ote.invalid' },
    retry: { attempts: 1 },
  })
  try {
    await service.with({ environment: 'production', token: 'none' }).healthChecks.list({ limit: 1 })
  } catch (error) {
    const kind = error instanceof ApiError ? error.kind : undefined
    if (kind !== 'unauthorized' && kind !== 'forbidden' && kind !== 'rate-limited')
      return explainRefusal(part, error, { baseUrl, owner: 'API_TOKEN', environment: 'production' })
  }
  return ok(part, 'It responds.')
}

/** Suggests a fix. If there was a response, DNS and the firewall aren't the problem. */
function fixForService({ kind, status }: ApiError): string {
  if (kind === 'rate-limited')
    return 'It is rate limiting this token. Wait, and find out who else uses the token.'
  return status !== undefined && status >= 500
    ? 'Something is wrong with the service. Wait, or ask its operators.'
    : 'If this isn’t the address of the service, fix API_BASE_URL or API_OTE_BASE_URL. Otherwise, ask its operators.'
}
