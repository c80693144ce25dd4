import type { EventLog } from './events.ts'
import type { Journal } from './journal.ts'

const SILENT =
  'The app has made no call to the Web API yet. If it calls Slack itself, give it the address in SLACK_API_URL: the README of the playground says how, by library.'

export type Remarks = ReturnType<typeof createRemarks>

/**
 * What the playground itself says about the app, to everyone who is watching and to whoever started it: that it made no call
 * within `afterMs` of a request, or that it ended.
 */
export function createRemarks(
  journal: Journal,
  log: EventLog,
  afterMs: number,
  tell: (sentence: string) => void,
) {
  let standing: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const isSilent = () => journal.list().every(({ direction }) => direction === 'to-app')

  function say(sentence: string, hasEnded = false): void {
    standing = sentence
    log.append({ type: 'remark', text: sentence, ...(hasEnded && { hasEnded }) }, null)
    tell(sentence)
  }

  /** The app got a request, or was started: a call is expected soon. */
  function expectCalls(): void {
    timer ??= setTimeout(() => isSilent() && say(SILENT), afterMs)
  }

  const stopLooking = log.subscribe(() => {
    if (journal.list().length > 0) expectCalls()
  })

  return {
    say,
    expectCalls,

    /** What is still true, for people who open the page later. */
    standing: (): string | null => (standing === SILENT && !isSilent() ? null : standing),

    close(): void {
      stopLooking()
      clearTimeout(timer)
    },
  }
}
