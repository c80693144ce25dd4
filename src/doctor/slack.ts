import { SCOPES, SILENT } from '@signalman/slack'
import { webApi } from '@slack/bolt'
import type { Config } from '../config.ts'
import { featuresWithout, NEEDED_SCOPES, optionalScopes } from '../domain/optional-features.ts'
import { advice, type DoctorFinding, fault, ok, skipped, wordsOf } from './finding.ts'

export const SLACK = 'https://slack.com/api/'

export const WITHIN_MS = 10_000

/** Whether a bot token works, and what it may do. */
export async function examineToken(
  token: string,
  { apiUrl, leftOut }: Pick<Config['slack'], 'apiUrl' | 'leftOut'>,
  whose: string,
): Promise<DoctorFinding[]> {
  const part = `slack ${whose}`
  try {
    const client = new webApi.WebClient(token, {
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: WITHIN_MS,
      logger: SILENT,
      ...(apiUrl && { slackApiUrl: apiUrl }),
    })
    const answer = await client.auth.test()
    const granted = new Set(answer.response_metadata?.scopes ?? [])
    return [ok(part, 'The bot token works.'), ...scopeFindings(part, granted, leftOut)]
  } catch (error) {
    if (!(error instanceof webApi.WebAPIPlatformError))
      return [
        error instanceof webApi.WebAPIHTTPError || error instanceof SyntaxError
          ? fault(
              part,
              'Something answers in the place of Slack, and not as Slack does.',
              'See what stands in front of it: a proxy that wants a log-in, or a wrong SLACK_API_URL.',
            )
          : fault(
              part,
              `Slack does not answer (${wordsOf(error)}).`,
              'Let the host reach it: DNS, firewall, proxy.',
            ),
      ]
    const code = error.data.error
    return [
      fault(
        part,
        `Slack refuses the bot token: ${code}.`,
        whose === 'token'
          ? 'Install the app again (OAuth & Permissions), copy the Bot User OAuth Token into SLACK_BOT_TOKEN, and start again.'
          : 'An admin of that workspace opens /slack/install once more.',
      ),
    ]
  }
}

function scopeFindings(
  part: string,
  granted: ReadonlySet<string>,
  leftOut: ReadonlySet<string>,
): DoctorFinding[] {
  if (granted.size === 0) return [skipped(`${part} scopes`, 'Slack did not say which there are.')]
  const needed = NEEDED_SCOPES.filter((scope) => !granted.has(scope))
  const reinstall = 'Give the app the manifest that signalman manifest prints, and install it again.'
  return [
    needed.length > 0
      ? fault(`${part} scopes`, `Not granted, and needed: ${needed.join(', ')}.`, reinstall)
      : ok(`${part} scopes`, 'Those that every deployment needs are granted.'),
    ...moreThanAsked(part, granted, leftOut),
    ...featuresWithout(granted, leftOut).map(({ name, does, scopes }): DoctorFinding => {
      const missing = scopes.filter((scope) => !granted.has(scope))
      return {
        part: `feature ${name}`,
        state: 'advice',
        says: `Off, or only in part: ${does}. Not granted: ${missing.join(', ')}.`,
        mend: reinstall,
      }
    }),
  ]
}

/** Least rights: what is granted and used by nothing here. */
function moreThanAsked(
  part: string,
  granted: ReadonlySet<string>,
  leftOut: ReadonlySet<string>,
): DoctorFinding[] {
  const used = new Set<string>([...NEEDED_SCOPES, ...optionalScopes(leftOut)])
  const more = [...granted].filter((scope) => !used.has(scope) && SCOPES[scope] !== undefined)
  if (more.length === 0) return []
  return [
    advice(
      `${part} scopes`,
      `Granted, although what needs them is left out: ${more.join(', ')}.`,
      'Slack takes a scope back only when the app is taken out of the workspace and installed again.',
    ),
  ]
}
