import type { EventLog } from './events.ts'
import type { Journal } from './journal.ts'

const NO_CALLS_YET =
  "The app hasn't called the Web API yet. If it calls slack.com instead, set its API URL to SLACK_API_URL: the playground's README shows how for each library."

export type Remarks = ReturnType<typeof createRemarks>

/**
 * The playground's own remarks about the app, shown on every page and passed to `onRemark`: that it made no call within `afterMs` of a
 * request, or that it has exited.
 */
export function createRemarks(
  journal: Journal,
  log: EventLog,
  afterMs: number,
  onRemark: (sentence: string) => void,
) {
  let lastRemark: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const isSilent = () => journal.list().every(({ direction }) => direction === 'to-app')

  function say(sentence: string, hasEnded = false): void {
    lastRemark = sentence
    log.append({ type: 'remark', text: sentence, ...(hasEnded && { hasEnded }) }, null)
    onRemark(sentence)
  }

  /** Starts to wait for a call: the app was started, or got a request. */
  function expectCalls(): void {
    timer ??= setTimeout(() => isSilent() && say(NO_CALLS_YET), afterMs)
  }

  const unsubscribe = log.subscribe(() => {
    if (journal.list().length > 0) expectCalls()
  })

  return {
    say,
    expectCalls,

    /** The last remark if it is still true, for people who open the page later. */
    current: (): string | null => (lastRemark === NO_CALLS_YET && !isSilent() ? null : lastRemark),

    close(): void {
      unsubscribe()
      clearTimeout(timer)
    },
  }
}
