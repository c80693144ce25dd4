import { setTimeout as pause } from 'node:timers/promises'
import { retryAfterMs } from '@signalman/slack'
import { webApi } from '@slack/bolt'
import type { Config } from '../../config.ts'
import { type DoctorFinding, fault, ok, skipped, wordsOf } from '../finding.ts'
import { clientOf } from '../slack.ts'
import { rehearse } from './rehearse.ts'
import type { ShownView } from './sample-slack.ts'

const PART = 'views'
/** Slack's special limits for this method are not published: two calls at a time, with the pauses that Slack asks for. */
const AT_ONCE = 2
const LONGEST_PAUSE_MS = 60_000
const MOST_TRIES = 5
const MOST_NAMED = 10

interface Refused {
  of: string
  pointer: string
  message: string
}

/** Lets Slack validate each view of the app once, as it would when it is shown. */
export async function examineViews(
  token: string,
  { apiUrl, prefix }: { apiUrl: Config['slack']['apiUrl']; prefix: string },
): Promise<DoctorFinding[]> {
  return judgeViews(token, apiUrl, (await rehearse(prefix)).shown)
}

/** Slack's verdict on each view. */
export async function judgeViews(
  token: string,
  apiUrl: string | undefined,
  shown: readonly ShownView[],
): Promise<DoctorFinding[]> {
  const client = clientOf(token, apiUrl)
  const views = withoutTwins(shown)
  const refused: Refused[] = []
  const left = [...views]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) refused.push(...(await judged(client, next)))
  }
  const ended = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      work().catch((error: unknown) => {
        left.length = 0
        throw error
      }),
    ),
  )
  const [failure] = ended.filter((one) => one.status === 'rejected')
  const unfinished = failure ? [notTried(failure.reason)] : []
  if (refused.length === 0)
    return failure ? unfinished : [ok(PART, `Slack accepts all ${views.length} of them.`)]
  const named = refused
    .slice(0, MOST_NAMED)
    .map(
      ({ of, pointer, message }) =>
        `Slack rejects the view for ${of}: ${message} (at ${pointer || 'the root'}). Checked ${views.length}.`,
    )
  const more = refused.length - named.length
  const faults = [...named, ...(more > 0 ? [`Slack rejects ${more} more.`] : [])]
  return [...faults.map((says) => fault(PART, says, MEND)), ...unfinished]
}

const MEND =
  'This is a bug in Signalman. Report it with the file that signalman doctor --views --bundle FILE writes.'

function notTried(error: unknown): DoctorFinding {
  if (error instanceof webApi.WebAPIPlatformError && error.data.error === 'unknown_method')
    return skipped(PART, 'This Slack has no blocks.validate, so they can’t be checked.')
  const code = error instanceof webApi.WebAPIPlatformError ? error.data.error : wordsOf(error)
  return skipped(PART, `Slack didn’t check all of them (${code}).`)
}

/** Views that differ only in ids and times are validated once. */
function withoutTwins(shown: readonly ShownView[]): ShownView[] {
  const seen = new Set<string>()
  return shown.filter(({ kind, payload }) => {
    const form = kind + JSON.stringify(payload).replaceAll(/[\w-]{22,}|\d+/g, '')
    return !seen.has(form) && seen.add(form)
  })
}

/** What Slack refuses in a view. Throws any error that is not a verdict. */
async function judged(client: webApi.WebClient, { of, kind, payload }: ShownView): Promise<Refused[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.apiCall('blocks.validate', { [kind]: JSON.stringify(payload) })
      return []
    } catch (error) {
      const askedMs = retryAfterMs(error)
      if (askedMs !== undefined && attempt < MOST_TRIES) {
        await pause(Math.min(askedMs, LONGEST_PAUSE_MS))
        continue
      }
      return verdictOf(error).map((one) => ({ of, ...one }))
    }
  }
}

const VERDICTS: readonly string[] = ['invalid_blocks', 'invalid_message', 'invalid_view']

function verdictOf(error: unknown): Omit<Refused, 'of'>[] {
  if (!(error instanceof webApi.WebAPIPlatformError) || !VERDICTS.includes(error.data.error)) throw error
  // https://docs.slack.dev/reference/methods/blocks.validate (November 2026); none of its fields is certain.
  const { errors } = error.data as { errors?: unknown }
  const list = Array.isArray(errors) && errors.length > 0 ? errors : [{}]
  return list.slice(0, 1).map((one: { pointer?: unknown; message?: unknown } | null) => ({
    pointer: String(one?.pointer ?? ''),
    message: String(one?.message ?? error.data.error),
  }))
}
