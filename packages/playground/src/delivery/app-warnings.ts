import type { EventLog } from '../state/event-log.ts'

export type AppWarnings = ReturnType<typeof createAppWarnings>

/** Shows a problem with the app on the page, for example that it has exited. */
export function createAppWarnings(log: EventLog) {
  let lastWarning: string | null = null
  return {
    /** With `appExited`, drivers stop waiting for answers. */
    warn(text: string, appExited = false): void {
      lastWarning = text
      log.append({ type: 'app-warning', text, ...(appExited && { appExited }) }, null)
    },

    /** The last warning, for people who open the page after it was shown. */
    current: (): string | null => lastWarning,
  }
}
