import type { Store } from '../app/store.ts'
import type { Config } from '../config.ts'
import type { Environment } from '../domain/environment.ts'
import { ApiError } from '../service/errors.ts'
import { createService } from '../service/service.ts'
import { advice, type DoctorFinding, fault, ok, skipped, unopened, wordsOf } from './finding.ts'

const MOST_WORKSPACES = 50

/** The service and each workspace's token, by the smallest question there is. */
export async function examineService(
  config: Pick<Config, 'service'>,
  store: Store | undefined,
): Promise<DoctorFinding[]> {
  const { baseUrl, oteBaseUrl } = config.service
  const baseUrls = { production: baseUrl, ote: oteBaseUrl ?? 'http://ote.invalid' }
  await using service = createService({ baseUrls, retry: { attempts: 2 } })
  const ask: Ask = async (environment, token, whose) => {
    const part = `service ${environment} (${whose})`
    try {
      await service.with({ environment, token }).healthChecks.list({ limit: 1 })
      return ok(part, 'It answers, and takes the token.')
    } catch (error) {
      return refused(part, error, baseUrls[environment], whose)
    }
  }
  const findings = await examineConfigured(config, ask)
  if (!store)
    return [...findings, skipped('service', 'Stored tokens were not looked at: the database is not open.')]
  const stored = await store.connections.everywhere()
  for (const { workspaceId, environment } of stored.slice(0, MOST_WORKSPACES)) {
    const found = await store.connections.find(workspaceId, environment).catch(unopened)
    const part = `service ${environment} (${workspaceId})`
    if (found === 'unopened')
      findings.push(
        fault(part, 'The stored token does not open.', 'An admin of the workspace types /hc connect.'),
      )
    else if (found) findings.push(await ask(environment, found.token, workspaceId))
  }
  if (findings.length === 0)
    findings.push(
      advice('service', 'No workspace has stored a token yet.', 'An admin types /hc connect in Slack.'),
    )
  return findings
}

type Ask = (environment: Environment, token: string, whose: string) => Promise<DoctorFinding>

/** The tokens of a single workspace, which stand in the configuration. */
async function examineConfigured({ service }: Pick<Config, 'service'>, ask: Ask): Promise<DoctorFinding[]> {
  const { oteBaseUrl, tokens } = service
  const findings: DoctorFinding[] = []
  if (tokens.production) findings.push(await ask('production', tokens.production, 'API_TOKEN'))
  if (tokens.ote && oteBaseUrl !== undefined) findings.push(await ask('ote', tokens.ote, 'API_OTE_TOKEN'))
  else if (tokens.ote)
    findings.push(
      fault(
        'service ote',
        'API_OTE_TOKEN is set, but API_OTE_BASE_URL is not.',
        'Set API_OTE_BASE_URL, or take the token out.',
      ),
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
  const { origin } = new URL(baseUrl)
  const answered =
    error.status === undefined ? `${origin} does not answer (${kind}).` : `${origin} answers ${error.status}.`
  return fault(part, answered, mendOfService(error))
}

/** An answer has come through DNS and firewall: these are named only where none came. */
function mendOfService({ kind, status }: ApiError): string {
  if (kind === 'rate-limited') return 'It was asked too often; wait, and see who else uses this token.'
  if (status === undefined)
    return 'Let the host reach it: DNS, firewall, proxy; or wait, when the service is out.'
  return status >= 500
    ? 'Wait, or ask those who run the service: something is wrong there.'
    : 'Correct API_BASE_URL or API_OTE_BASE_URL if it is not the address of the service; else ask those who run it.'
}
