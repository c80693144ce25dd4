import { createHmac, randomUUID } from 'node:crypto'
import { type Config, localUrl } from '../config.ts'
import { advice, type DoctorFinding, fault, ok, skipped, wordsOf } from './finding.ts'

const WITHIN_MS = 10_000

/** What Slack would meet, a signed `url_verification` to the app's public address; and whether the app on this machine is ready. */
export async function examineReach(config: Config, now: () => Date): Promise<DoctorFinding[]> {
  const { receive } = config.slack
  const running = await examineRunning(localUrl(config))
  if (!('signingSecret' in receive)) return [running]
  return [
    ...secretFinding(receive.signingSecret),
    await examineAddress(config.publicUrl, receive.signingSecret, now()),
    running,
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
      'PUBLIC_URL is not set, so nobody has tried whether Slack can reach the app.',
      'Set PUBLIC_URL to the address in the manifest, such as https://signalman.example.com.',
    )
  const challenge = randomUUID()
  const url = `${publicUrl}/slack/events`
  try {
    const text = JSON.stringify({ type: 'url_verification', challenge })
    const answer = await postSigned(url, secret, text, now, {
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
    })
    return judge(url, await reached(answer), challenge)
  } catch (error) {
    return fault(
      PART,
      `${url} does not answer (${wordsOf(error)}).`,
      'Start the reverse proxy and the app, and see that DNS, port 443 and the certificate of that address are right.',
    )
  }
}

/** A POST as Slack would send it. */
export const postSigned = (url: string, secret: string, text: string, now: Date, more: RequestInit = {}) => {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${text}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  }
  return fetch(url, { method: 'POST', headers, body: text, ...more })
}

type Reached = Awaited<ReturnType<typeof reached>>

async function reached(answer: Response) {
  return {
    status: answer.status,
    text: (await answer.text()).slice(0, 4096),
    // As a proxy does and this app never.
    wantsLogin: answer.headers.has('www-authenticate'),
    server: answer.headers.get('server'),
  }
}

const PART = 'public address'

function judge(url: string, answer: Reached, challenge: string): DoctorFinding {
  const { status, text } = answer
  if (status === 200 && text.includes(challenge))
    return ok(PART, `A signed request to ${url} reaches the app.`)
  const refused = notByUs(url, answer)
  if (refused) return refused
  if (status === 401)
    return fault(
      'signing secret',
      'The running app refuses a request that is signed with SLACK_SIGNING_SECRET.',
      'Copy the Signing Secret from Basic Information of the Slack app, set it for the app too, and start it again. Both clocks must be right.',
    )
  if (status === 503)
    return fault(
      PART,
      `${url} answers 503: the app is stopping, or the proxy does not reach it.`,
      'Start the app, and look at /readyz.',
    )
  if (status === 502 || status === 504)
    return fault(
      PART,
      `${url} answers ${status}: the proxy works, and does not reach the app.`,
      'Start the app, and send the proxy’s requests to HOST and PORT of it.',
    )
  if (status === 404)
    return fault(
      PART,
      `${url} answers 404: something else is there.`,
      'Let the proxy hand /slack/ on to the app without changing the path.',
    )
  if (status >= 300 && status < 400)
    return fault(
      PART,
      `${url} leads elsewhere (${status}); Slack does not follow.`,
      'Give the final address in PUBLIC_URL and in the manifest.',
    )
  return fault(
    PART,
    `${url} answers ${status}, and not as the app does.`,
    'Let the proxy hand /slack/ on to the app, body and headers unchanged.',
  )
}

/** A refusal that is not this app's: of a proxy that wants a log-in, or of something else at that address. */
function notByUs(url: string, { status, text, wantsLogin, server }: Reached): DoctorFinding | undefined {
  const isOurs = text.startsWith('The signature does not fit')
  if (wantsLogin || (status === 403 && !isOurs))
    return fault(
      PART,
      `${url} asks for a log-in (${status}): a proxy in front of the app does that, and Slack cannot log in.`,
      'Let /slack/ through without one in the proxy or web application firewall; the app checks Slack’s signature itself.',
    )
  if (status === 401 && !isOurs)
    return fault(
      PART,
      `${url} answers 401, but this app did not${server ? `: ${server.slice(0, 60)} did` : ''}.`,
      'See what stands at that address: the proxy has to hand /slack/ on to this app.',
    )
  return undefined
}

/** Slack's are 32 hexadecimal digits. */
export function secretFinding(secret: string): DoctorFinding[] {
  return /^[0-9a-f]{32}$/.test(secret)
    ? []
    : [
        advice(
          'signing secret',
          'It does not look like one of Slack’s, which are 32 digits and letters a–f.',
          'Copy it again from Basic Information → App Credentials; it is neither the client secret nor the verification token.',
        ),
      ]
}

/** Asked where it listens: a proxy in front of it need hand on no more than `/slack/`. */
async function examineRunning(base: string): Promise<DoctorFinding> {
  const url = `${base}/readyz`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) })
    const said: unknown = await answer.json().catch(() => undefined)
    if (!said || typeof said !== 'object' || !('status' in said))
      return fault(
        'running app',
        `Something else answers at ${url}.`,
        'Stop what has that port, or give another PORT.',
      )
    const failing = Object.entries(said)
      .filter(([, state]) => state === 'failing')
      .map(([name]) => name)
    if (answer.ok) return ok('running app', 'It is ready.')
    return fault(
      'running app',
      `It is not ready: ${failing.join(', ') || answer.status}.`,
      'Mend what stands above, or see its log.',
    )
  } catch (error) {
    return skipped('running app', `No app answers at ${url} (${wordsOf(error)}).`)
  }
}
