import { webApi } from '@slack/bolt'
import type { Config } from '../config.ts'
import { SILENT } from '../slack/client/slack-client.ts'
import { featuresWithout, NEEDED_SCOPES } from '../slack/install/features.ts'
import { createAskForAddress, mendOf, SocketsRefused } from '../slack/receive/socket/address.ts'
import { type DoctorFinding, fault, ok, skipped, wordsOf } from './finding.ts'

const SLACK = 'https://slack.com/api/'
const WITHIN_MS = 10_000
/** Slack refuses requests that are five minutes off, and so does the app. */
const MOST_SKEW_SECONDS = 60

/** What the answer to a call of Slack's tells of the clock. */
export async function examineClock({ slack }: Config, now: () => Date): Promise<DoctorFinding> {
  const address = slack.apiUrl ?? SLACK
  try {
    const answer = await fetch(`${address}api.test`, {
      method: 'POST',
      signal: AbortSignal.timeout(WITHIN_MS),
    })
    await answer.body?.cancel()
    const theirs = Date.parse(answer.headers.get('date') ?? '')
    if (Number.isNaN(theirs)) return skipped('clock', 'Slack’s answer has no date.')
    const seconds = Math.round((now().getTime() - theirs) / 1000)
    if (Math.abs(seconds) <= MOST_SKEW_SECONDS) return ok('clock', 'It agrees with Slack’s.')
    return fault(
      'clock',
      `It is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} Slack’s: from 300 s on every request is refused.`,
      'Let the host follow a time server: timedatectl set-ntp true, or chrony.',
    )
  } catch (error) {
    return fault(
      'slack',
      `${new URL(address).origin} does not answer (${wordsOf(error)}).`,
      'Let the host reach it: DNS, firewall, proxy.',
    )
  }
}

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

/** Whether Slack would give the app a socket. None is opened: Slack would send requests over it. */
export async function examineSocketMode(
  appToken: string,
  apiUrl: string | undefined,
): Promise<DoctorFinding> {
  try {
    await createAskForAddress(appToken, apiUrl)()
    return ok('socket mode', 'Slack gives the app addresses for sockets.')
  } catch (error) {
    if (error instanceof SocketsRefused)
      return fault('socket mode', `Slack refuses it: ${error.reason}.`, `${mendOf(error.reason)}.`)
    return fault(
      'socket mode',
      `Slack gives no address (${wordsOf(error)}).`,
      'Let the host reach slack.com and wss-primary.slack.com: DNS, firewall, proxy.',
    )
  }
}
