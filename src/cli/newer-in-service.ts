import type { Store } from '../app/store.ts'
import { pickSetVariables, Variables } from '../config/variables.ts'
import { serviceTokens } from '../doctor/service.ts'
import { pluralize } from '../domain/wording.ts'
import { ApiError, type ApiErrorKind } from '../service/errors.ts'
import type { HealthCheck } from '../service/health-checks.ts'
import { type Api, createService } from '../service/service.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How far the service's clock may differ from this machine's. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000

const MAX_LISTED = 50

const UrlVariables = Variables.pick({ API_BASE_URL: true, API_OTE_BASE_URL: true })

/**
 * Yields a line for each object that was created or changed in the service after `since`, as seen with every token. Also yields a
 * line for each token that couldn't be used. Only health checks and connection tokens have a timestamp.
 */
export async function* listNewerInService(
  store: Pick<Store, 'connections'>,
  variables: Environment,
  since: Date,
): AsyncGenerator<string> {
  const { data: urls, error } = UrlVariables.safeParse(pickSetVariables(variables))
  if (!urls) {
    const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
    yield `Couldn’t check what is newer in the service: ${problems}. Fix that, then run signalman restore --compare.`
    return
  }
  const { API_BASE_URL: production, API_OTE_BASE_URL: ote } = urls
  // Nothing is sent to the placeholder, because OTE is skipped below if it has no address.
  await using service = createService({ baseUrls: { production, ote: ote ?? 'http://ote.invalid' } })
  const configured = { production: variables.API_TOKEN?.trim(), ote: variables.API_OTE_TOKEN?.trim() }
  for await (const { owner, environment, token } of serviceTokens(configured, store)) {
    const name = `${owner}, ${environment === 'ote' ? 'OTE' : 'production'}`
    if (environment === 'ote' && ote === undefined)
      yield `${name}: not checked. Set API_OTE_BASE_URL, and run signalman restore --compare.`
    else if (token === undefined) yield `${name}: not checked, because the token can’t be decrypted.`
    else
      yield* listNewerWithToken(
        name,
        service.with({ environment, token }),
        new Date(since.getTime() - MAX_CLOCK_SKEW_MS),
      )
  }
}

async function* listNewerWithToken(name: string, api: Api, since: Date): AsyncGenerator<string> {
  try {
    let count = 0
    let unreadable = 0
    for await (const page of api.healthChecks.listAll()) {
      unreadable += page.unreadable
      for (const line of listNewerChecks(page.results, since)) {
        count += 1
        if (count <= MAX_LISTED) yield `${name}: ${line}`
      }
    }
    if (count > MAX_LISTED)
      yield `${name}: ${pluralize(count - MAX_LISTED, 'more health check')} created or changed since then.`
    const listed = await api.tokens.list()
    const tokens = listed.tokens.filter(({ createdAt }) => isNewer(createdAt, since)).length
    if (tokens > 0) yield `${name}: ${pluralize(tokens, 'connection token')} created since.`
    if (unreadable + listed.unreadable > 0) yield `${name}: ${describeUnread(unreadable, listed.unreadable)}`
    else if (count + tokens === 0)
      yield `${name}: nothing newer found. Only items with a timestamp were compared.`
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    yield `${name}: not compared, or only in part, because ${FAILURES[error.kind] ?? 'the service’s answer can’t be used'} (${error.kind}). Run signalman restore --compare later.`
  }
}

const describeUnread = (checks: number, tokens: number): string => {
  const unread = [
    ...(checks > 0 ? [pluralize(checks, 'health check')] : []),
    ...(tokens > 0 ? [pluralize(tokens, 'connection token')] : []),
  ]
  return `${unread.join(' and ')} not compared, because Signalman can’t read them.`
}

/** Why the service's data couldn't be read. Only these kinds of errors say that it didn't answer. */
const FAILURES: Partial<Record<ApiErrorKind, string>> = {
  unauthorized: 'the service doesn’t accept the token',
  forbidden: 'the service doesn’t let the token list this',
  'rate-limited': 'the service gets too many requests',
  unavailable: 'the service couldn’t be reached, or has a problem',
  timeout: 'the service didn’t answer in time',
}

function* listNewerChecks(checks: readonly HealthCheck[], since: Date): Generator<string> {
  for (const { uuid, name, createdAt, modifiedAt } of checks) {
    if (isNewer(createdAt, since))
      yield `health check ${withoutControlCharacters(uuid)} created ${createdAt.toISOString()} (${withoutControlCharacters(name)})`
    else if (isNewer(modifiedAt, since))
      yield `health check ${withoutControlCharacters(uuid)} changed ${modifiedAt.toISOString()} (${withoutControlCharacters(name)})`
  }
}

const isNewer = (at: Date | undefined, since: Date): at is Date => at !== undefined && at >= since

/** Removes control characters: the name comes from outside and is printed to a terminal. */
const withoutControlCharacters = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd').slice(0, 100)
