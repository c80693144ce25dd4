import type { EventLog } from '../state/event-log.ts'
import type { Journal } from '../state/journal.ts'

const NO_CALLS_YET =
  "The app hasn't called the Web API yet. If it calls slack.com instead, set its API URL to SLACK_API_URL: the playground's README shows how for each library."

export type AppWarnings = ReturnType<typeof createAppWarnings>

/**
 * Warns on the page and through `onWarning` about problems with the app, for example if it exits, or if it makes no Web API call within
 * `afterMs` after it starts or gets a request.
 */
export function createAppWarnings(
  journal: Journal,
  log: EventLog,
  afterMs: number,
  onWarning: (text: string) => void,
) {
  let lastWarning: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const hasNoApiCalls = () => journal.list().every(({ direction }) => direction === 'to-app')

  function warn(text: string, appExited = false): void {
    lastWarning = text
    log.append({ type: 'app-warning', text, ...(appExited && { appExited }) }, null)
    onWarning(text)
  }

  /** Starts the timer for the app's first call, unless it's already running. Called when the app starts, and when it gets a request. */
  function expectCalls(): void {
    timer ??= setTimeout(() => {
      if (hasNoApiCalls()) warn(NO_CALLS_YET)
    }, afterMs)
  }

  const unsubscribe = log.subscribe(() => {
    if (journal.list().length > 0) expectCalls()
  })

  return {
    warn,
    expectCalls,

    /** The last warning, for people who open the page after it was shown. Null if it no longer applies. */
    current: (): string | null => (lastWarning === NO_CALLS_YET && !hasNoApiCalls() ? null : lastWarning),

    close(): void {
      unsubscribe()
      clearTimeout(timer)
    },
  }
}
