import { createHmac, randomUUID } from 'node:crypto'
import { fetchOnce } from '@signalman/runtime'
import { type Config, localUrl } from '../config.ts'
import { pluralize } from '../domain/wording.ts'
import { advice, type DoctorFinding, describeError, fault, ok, skipped, unreachable } from './finding.ts'

const TIMEOUT_MS = 10_000
const PART = 'public address'

/**
 * Sends a signed `url_verification` to the app's public address like Slack would, and checks whether the app on this machine is
 * ready.
 */
export async function examineReachability(
  config: Config,
  now: () => Date,
  processes?: number,
): Promise<DoctorFinding[]> {
  const { receive } = config.slack
  const running = [await examineRunning(config), ...(await examineMetrics(config, processes))]
  if (!('signingSecret' in receive)) return running
  return [
    ...secretFinding(receive.signingSecret),
    await examineAddress(config.publicUrl, receive.signingSecret, now()),
    ...running,
  ]
}

async function examineAddress(
  publicUrl: string | undefined,
  secret: string,
  now: Date,
): Promise<DoctorFinding> {
  if (publicUrl === undefined)
    return advice(
      PART,
      'PUBLIC_URL isn’t set, so the doctor can’t check whether Slack can reach the app.',
      'Set PUBLIC_URL to the address in the manifest, such as https://signalman.example.com.',
    )
  const challenge = randomUUID()
  const url = `${publicUrl}/slack/events`
  try {
    const text = JSON.stringify({ type: 'url_verification', challenge })
    const response = await postSigned(url, secret, text, now, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return explainResponse(url, response.status, (await response.text()).slice(0, 4096), challenge)
  } catch (error) {
    return unreachable(PART, url, error)
  }
}

export const postSigned = (
  url: string,
  secret: string,
  text: string,
  now: Date,
  options: Parameters<typeof fetchOnce>[1] = {},
) => {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${text}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  }
  return fetchOnce(url, { method: 'POST', headers, body: text, ...options })
}

function explainResponse(url: string, status: number, text: string, challenge: string): DoctorFinding {
  if (status === 200 && text.includes(challenge))
    return ok(PART, `A signed request to ${url} reaches the app.`)
  if (text.startsWith('The signature is invalid.'))
    return fault(
      'signing secret',
      'The running app refuses a request that is signed with SLACK_SIGNING_SECRET.',
      'Copy the Signing Secret from Basic Information of the Slack app, set it for the app too, and restart it. Both clocks must be right.',
    )
  return fault(
    PART,
    `${url} responds with ${status}, but not as this app does. Slack follows no redirect, and can’t log in.`,
    'Check that the app runs, and what answers at that address. A proxy must forward /slack/ to the app’s HOST and PORT without a login, with path, headers, and body unchanged.',
  )
}

/** Slack's secrets have 32 hexadecimal digits. */
export function secretFinding(secret: string): DoctorFinding[] {
  return /^[0-9a-f]{32}$/.test(secret)
    ? []
    : [
        advice(
          'signing secret',
          'It doesn’t look like a signing secret, which has 32 hexadecimal characters.',
          'Copy it again from Basic Information → App Credentials. It isn’t the client secret or the verification token.',
        ),
      ]
}

/** Asks the app directly, because a proxy only has to forward `/slack/`. */
async function examineRunning(config: Pick<Config, 'host' | 'port'>): Promise<DoctorFinding> {
  const url = `${localUrl(config)}/readyz`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const body: unknown = await response.json().catch(() => undefined)
    if (!body || typeof body !== 'object' || !('status' in body))
      return fault(
        'running app',
        `Something else is running at ${url}.`,
        'Stop the program that uses that port, or set another PORT.',
      )
    const failing = Object.entries(body)
      .filter(([, state]) => state === 'failing')
      .map(([name]) => name)
    if (response.ok) return ok('running app', 'It is ready.')
    return fault(
      'running app',
      `The app at ${url} isn’t ready: ${failing.join(', ') || response.status}.`,
      'Fix the other problems here. Its log says why. If it’s another copy of Signalman, stop it, or set another PORT.',
    )
  } catch (error) {
    return skipped('running app', `No app responds at ${url} (${describeError(error)}).`)
  }
}

/** Reads what the running app has counted since its start. Nothing if it doesn't run. Without the number of `processes`, any socket may be theirs. */
async function examineMetrics(
  { host, port, metricsPort = port }: Config,
  processes = Number.POSITIVE_INFINITY,
): Promise<DoctorFinding[]> {
  const response = await fetch(`${localUrl({ host, port: metricsPort })}/metrics`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  const text = (await response?.text().catch(() => '')) ?? ''
  const read = (name: string): number =>
    Number(new RegExp(`^signalman_slack_${name}(?:\\{way="http"\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  const [refused, elsewhere] = [read('signatures_refused_total'), read('sockets_elsewhere')]
  // The doctor's own request isn't counted: it checks an address.
  const secretIsWrong = refused > 0 && read('acknowledgement_seconds_count') === 0
  return [
    ...(secretIsWrong
      ? [
          fault(
            'signing secret',
            `Since its start, the app has refused ${pluralize(refused, 'request')} with a bad signature, and has received none with a good one.`,
            'SLACK_SIGNING_SECRET is probably wrong: copy it from Basic Information of the Slack app whose commands people type.',
          ),
        ]
      : []),
    // Each process opens two.
    ...(elsewhere > 0 && elsewhere >= 2 * processes
      ? [
          advice(
            'socket mode',
            `When the app last connected, Slack counted ${pluralize(elsewhere, 'socket')} of the same Slack app in other processes.`,
            'If those aren’t of this app before a restart, another deployment gets a part of the requests. Give it its own Slack app.',
          ),
        ]
      : []),
  ]
}
