import type { Config } from '../config.ts'
import { type DoctorFinding, fault, ok, skipped, wordsOf } from './finding.ts'
import { SLACK, WITHIN_MS } from './slack.ts'

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
