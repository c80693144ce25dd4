import type { EventLog } from './event-log.ts'
import type { Journal } from './journal.ts'

const NO_CALLS_YET =
  "The app hasn't called the Web API yet. If it calls slack.com instead, set its API URL to SLACK_API_URL: the playground's README shows how for each library."

export type AppWarnings = ReturnType<typeof createAppWarnings>

/**
 * Warns on the page and through `onWarning` about problems with the app, such as that it has exited, or that it made no Web API call
 * within `afterMs` after it started or got a request.
 */
export function createAppWarnings(
  journal: Journal,
  log: EventLog,
  afterMs: number,
  onWarning: (text: string) => void,
) {
  let lastWarning: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const isSilent = () => journal.list().every(({ direction }) => direction === 'to-app')

  function warn(text: string, appExited = false): void {
    lastWarning = text
    log.append({ type: 'app-warning', text, ...(appExited && { appExited }) }, null)
    onWarning(text)
  }

  /** Starts the timer for the first call. Called when the app was started or got a request. */
  function expectCalls(): void {
    timer ??= setTimeout(() => {
      if (isSilent()) warn(NO_CALLS_YET)
    }, afterMs)
  }

  const unsubscribe = log.subscribe(() => {
    if (journal.list().length > 0) expectCalls()
  })

  return {
    warn,
    expectCalls,

    /** The last warning, for people who open the page later. Null if it no longer applies. */
    current: (): string | null => (lastWarning === NO_CALLS_YET && !isSilent() ? null : lastWarning),

    close(): void {
      unsubscribe()
      clearTimeout(timer)
    },
  }
}
