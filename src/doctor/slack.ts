import { createFetchSocketUrl, SocketsRefused, tryToOpen, webApiOptions } from '@signalman/slack'
import { webApi } from '@slack/bolt'
import type { Config } from '../config.ts'
import { findIncompleteFeatures, REQUIRED_SCOPES } from '../domain/optional-features.ts'
import { advice, type DoctorFinding, describeError, fault, ok, skipped, unreachable } from './finding.ts'

export const SLACK_API_URL = 'https://slack.com/api/'

export const TIMEOUT_MS = 10_000

/** Checks whether a bot token works, and its scopes. `tokenOwner` is `token` for the configured one, otherwise a workspace. */
export async function examineToken(
  token: string,
  apiUrl: Config['slack']['apiUrl'],
  tokenOwner: string,
): Promise<DoctorFinding[]> {
  const part = `slack ${tokenOwner}`
  try {
    const client = createClient(token, apiUrl)
    const response = await client.auth.test()
    const granted = new Set(response.response_metadata?.scopes ?? [])
    return [ok(part, 'The bot token works.'), ...scopeFindings(part, granted)]
  } catch (error) {
    return [tokenFault(part, error, tokenOwner)]
  }
}

/** Slack's error code; undefined for any other error. If the response is an HTML page, the library uses its text as the code. */
function findErrorCode(error: unknown): string | undefined {
  const code = error instanceof webApi.WebAPIPlatformError ? error.data.error : ''
  return /^[a-z][a-z_]*$/.test(code) ? code : undefined
}

const FIX_MANIFEST =
  'Paste the output of signalman manifest into the Slack app’s settings, and reinstall the app.'

/** Says what answered in the place of Slack's Web API, or what Slack answered if that may be temporary. */
export function noAnswer(part: string, error: unknown, address?: string): DoctorFinding {
  const code = findErrorCode(error)
  if (code !== undefined)
    return fault(part, `Slack answers with ${code}.`, 'Look at slack-status.com, and try again later.')
  if (error instanceof webApi.WebAPIHTTPError) return notSlack(part, error.statusCode, address)
  return isPage(error) ? notSlack(part, undefined, address) : unreachable(part, address ?? 'Slack', error)
}

const isPage = (error: unknown): boolean =>
  error instanceof webApi.WebAPIPlatformError || error instanceof SyntaxError

/** Reports a response that isn't Slack's. A status of 500 and more may also be Slack's own. */
export function notSlack(part: string, status?: number, address?: string): DoctorFinding {
  if (status !== undefined && status >= 500)
    return fault(
      part,
      `${address ?? 'Slack'} responds with ${status}.`,
      'Look at slack-status.com. If Slack is fine, a proxy in between isn’t.',
    )
  const where = `${address ? ` at ${address}` : ''}${status ? ` (status ${status})` : ''}`
  return fault(
    part,
    `Something other than Slack responds${where}.`,
    'Check for a proxy that requires a login or redirects, or a wrong SLACK_API_URL.',
  )
}

function tokenFault(part: string, error: unknown, tokenOwner: string): DoctorFinding {
  const code = findErrorCode(error)
  if (code !== undefined)
    return fault(
      part,
      `Slack refuses the bot token: ${code}.`,
      tokenOwner === 'token'
        ? 'Reinstall the app (OAuth & Permissions), and copy the Bot User OAuth Token into SLACK_BOT_TOKEN.'
        : 'An admin of that workspace opens /slack/install again.',
    )
  return noAnswer(part, error)
}

/** Checks the client ID and secret by sending an invalid code. Slack checks the secret first, and then rejects the code. */
export async function examineClient(
  { oauth }: { oauth: OAuth },
  apiUrl: string | undefined,
): Promise<DoctorFinding> {
  const part = 'slack client'
  const { clientId: client_id, clientSecret: client_secret } = oauth
  try {
    await createClient(undefined, apiUrl).oauth.v2.access({ client_id, client_secret, code: 'none' })
    return skipped(part, 'Slack accepted a made-up code, so the secret couldn’t be checked.')
  } catch (error) {
    const code = findErrorCode(error)
    if (code === undefined && isPage(error)) return noAnswer(part, error)
    if (code === undefined) return skipped(part, `Slack couldn’t check it (${describeError(error)}).`)
    if (code === 'invalid_code') return ok(part, 'SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong together.')
    const variable = { bad_client_secret: 'SLACK_CLIENT_SECRET', invalid_client_id: 'SLACK_CLIENT_ID' }[code]
    if (!variable) return skipped(part, `Slack couldn’t check it (${code}).`)
    return fault(
      part,
      `Slack refuses ${variable}: ${code}. Nobody can install the app.`,
      'Copy Client ID and Client Secret again from Basic Information → App Credentials.',
    )
  }
}

/**
 * Checks whether a socket to Slack opens, whose host is another one than the Web API's. If the app runs, its own sockets prove that, and
 * none is opened: Slack could send a request over it, which nobody would answer.
 */
export async function examineSocketMode(
  appToken: string,
  apiUrl: string | undefined,
  isAppReady = false,
): Promise<DoctorFinding> {
  const part = 'socket mode'
  try {
    const address = await createFetchSocketUrl(appToken, apiUrl)()
    const { host } = new URL(address)
    if (isAppReady) return ok(part, 'The app token works, and the running app has an open socket.')
    return await tryToOpen(address).then(
      () => ok(part, `The app token can open Socket Mode connections (to ${host}).`),
      (error: unknown) => unreachable(part, host, error),
    )
  } catch (error) {
    if (error instanceof SocketsRefused)
      return fault(part, `Slack rejected it: ${error.reason}.`, `${error.fix}.`)
    return noAnswer(part, error)
  }
}

type OAuth = Extract<Config['slack']['tenants'], { oauth: unknown }>['oauth']

/** A client that connects as the app does, and makes one attempt. */
export const createClient = (token: string | undefined, apiUrl: string | undefined) =>
  new webApi.WebClient(token, webApiOptions(apiUrl))

function scopeFindings(part: string, granted: ReadonlySet<string>): DoctorFinding[] {
  if (granted.size === 0) return [skipped(`${part} scopes`, 'Slack didn’t say which scopes are granted.')]
  const missing = REQUIRED_SCOPES.filter((scope) => !granted.has(scope))
  return [
    missing.length > 0
      ? fault(`${part} scopes`, `The app lacks required scopes: ${missing.join(', ')}.`, FIX_MANIFEST)
      : ok(`${part} scopes`, 'All required scopes are granted.'),
    ...findIncompleteFeatures(granted).map(({ name, description, scopes }) => {
      const missingScopes = scopes.filter((scope) => !granted.has(scope)).join(', ')
      const message = `Off or limited: ${description}. Missing scopes: ${missingScopes}.`
      return advice(`feature ${name}`, message, FIX_MANIFEST)
    }),
  ]
}
