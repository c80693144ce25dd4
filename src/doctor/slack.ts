import { webApi } from '@slack/bolt'
import { SILENT } from '../slack/client/slack-client.ts'
import { featuresWithout, NEEDED_SCOPES } from '../slack/install/features.ts'
import { type DoctorFinding, fault, ok, skipped, wordsOf } from './finding.ts'

export const SLACK = 'https://slack.com/api/'

export const WITHIN_MS = 10_000

/** Whether a bot token works, and what it may do. */
export async function examineToken(
  token: string,
  apiUrl: string | undefined,
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
    return [ok(part, 'The bot token works.'), ...scopeFindings(part, granted)]
  } catch (error) {
    if (!(error instanceof webApi.WebAPIPlatformError))
      return [
        fault(
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

function scopeFindings(part: string, granted: ReadonlySet<string>): DoctorFinding[] {
  if (granted.size === 0) return [skipped(`${part} scopes`, 'Slack did not say which there are.')]
  const needed = NEEDED_SCOPES.filter((scope) => !granted.has(scope))
  const reinstall = 'Give the app the manifest that signalman manifest prints, and install it again.'
  return [
    needed.length > 0
      ? fault(`${part} scopes`, `Not granted, and needed: ${needed.join(', ')}.`, reinstall)
      : ok(`${part} scopes`, 'Those that every deployment needs are granted.'),
    ...featuresWithout(granted).map(({ name, does, scopes }): DoctorFinding => {
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
