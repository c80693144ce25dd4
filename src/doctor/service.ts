import { ApiError } from '../api/errors.ts'
import { createService } from '../api/service.ts'
import type { Config } from '../config.ts'
import type { Environment } from '../domain/environment.ts'
import type { Store } from '../store/store.ts'
import { advice, type DoctorFinding, fault, ok, wordsOf } from './finding.ts'

const ENVIRONMENTS = ['production', 'ote'] as const
const MOST_WORKSPACES = 50

/** The service and each workspace's token, by the smallest question there is. */
export async function examineService(config: Config, store: Store | undefined): Promise<DoctorFinding[]> {
  const { baseUrl, oteBaseUrl, tokens } = config.service
  const baseUrls = { production: baseUrl, ote: oteBaseUrl ?? 'http://ote.invalid' }
  await using service = createService({ baseUrls, retry: { attempts: 2 } })
  const ask = async (environment: Environment, token: string, whose: string): Promise<DoctorFinding> => {
    const part = `service ${environment} (${whose})`
    try {
      await service.with({ environment, token }).healthChecks.list({ limit: 1 })
      return ok(part, 'It answers, and takes the token.')
    } catch (error) {
      return refused(part, error, baseUrls[environment], whose)
    }
  }
  const findings: DoctorFinding[] = []
  for (const environment of ENVIRONMENTS) {
    const token = tokens[environment]
    const name = environment === 'production' ? 'API_TOKEN' : 'API_OTE_TOKEN'
    if (token) findings.push(await ask(environment, token, name))
  }
  const stored = (await store?.connections.everywhere()) ?? []
  for (const { workspaceId, environment } of stored.slice(0, MOST_WORKSPACES)) {
    const connection = await store?.connections.find(workspaceId, environment)
    if (connection) findings.push(await ask(environment, connection.token, workspaceId))
  }
  if (findings.length === 0)
    findings.push(
      advice('service', 'No workspace has stored a token yet.', 'An admin types /hc connect in Slack.'),
    )
  return findings
}

function refused(part: string, error: unknown, baseUrl: string, whose: string): DoctorFinding {
  if (!(error instanceof ApiError)) return fault(part, `It cannot be asked (${wordsOf(error)}).`)
  const { kind } = error
  const mend = whose.startsWith('API_')
    ? `Set ${whose} to a token that is active.`
    : 'An admin of the workspace types /hc connect.'
  if (kind === 'unauthorized') return fault(part, 'It refuses the token.', mend)
  if (kind === 'forbidden') return fault(part, 'The token may not read health checks.', mend)
  if (kind === 'not-found' || kind === 'unreadable')
    return fault(
      part,
      `What answers at ${new URL(baseUrl).origin} is not the service (${kind}).`,
      'Correct API_BASE_URL or API_OTE_BASE_URL.',
    )
  return fault(
    part,
    `${new URL(baseUrl).origin} does not answer as it should (${kind}).`,
    'Let the host reach it: DNS, firewall, proxy; or wait, when the service is out.',
  )
}
