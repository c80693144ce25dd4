import type { Store } from '../app/store.ts'
import { pickSetVariables, Variables } from '../config/variables.ts'
import { serviceTokens } from '../doctor/service.ts'
import { pluralize } from '../domain/wording.ts'
import { ApiError } from '../service/errors.ts'
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
    for await (const line of listNewerChecks(api, since)) {
      count += 1
      if (count <= MAX_LISTED) yield `${name}: ${line}`
    }
    if (count > MAX_LISTED)
      yield `${name}: ${pluralize(count - MAX_LISTED, 'more health check')} created or changed since then.`
    const tokens = (await api.tokens.list()).tokens.filter(({ createdAt }) =>
      isNewer(createdAt, since),
    ).length
    if (tokens > 0) yield `${name}: ${pluralize(tokens, 'connection token')} created since.`
    if (count + tokens === 0) yield `${name}: nothing newer found. Only items with a timestamp were compared.`
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    yield `${name}: the service couldn’t be reached (${error.kind}). Run signalman restore --compare later.`
  }
}

async function* listNewerChecks({ healthChecks }: Api, since: Date): AsyncGenerator<string> {
  for await (const { results } of healthChecks.listAll()) {
    for (const { uuid, name, createdAt, modifiedAt } of results) {
      if (isNewer(createdAt, since))
        yield `health check ${withoutControlCharacters(uuid)} created ${createdAt.toISOString()} (${withoutControlCharacters(name)})`
      else if (isNewer(modifiedAt, since))
        yield `health check ${withoutControlCharacters(uuid)} changed ${modifiedAt.toISOString()} (${withoutControlCharacters(name)})`
    }
  }
}

const isNewer = (at: Date | undefined, since: Date): at is Date => at !== undefined && at >= since

/** Removes control characters: the name comes from outside and is printed to a terminal. */
const withoutControlCharacters = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd').slice(0, 100)
