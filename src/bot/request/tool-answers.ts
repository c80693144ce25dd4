import { newId } from '@signalman/runtime'
import type { Message } from '@signalman/slack'

/** How long a call waits. Slackbot gives a tool 60 s (https://docs.slack.dev/ai/slackbot-mcp-client, November 2026). */
const TIMEOUT_MS = 50_000

/** Passes answers to the Slackbot calls that wait for them. An answer that comes too late is sent to the person in a DM. */
export type ToolAnswers = ReturnType<typeof createToolAnswers>

export function createToolAnswers() {
  const waiting = new Map<string, (message?: Message | 'timed-out') => void>()
  return {
    /** Resolves with the first answer to the call: `timed-out` if it takes too long, undefined if there is none. */
    async waitForAnswer(
      work: (callId: string) => Promise<unknown>,
    ): Promise<Message | 'timed-out' | undefined> {
      const callId = newId()
      const { promise, resolve } = Promise.withResolvers<Message | 'timed-out' | undefined>()
      const end = (message?: Message | 'timed-out'): void => {
        waiting.delete(callId)
        resolve(message)
      }
      waiting.set(callId, end)
      const timer = setTimeout(end, TIMEOUT_MS, 'timed-out')
      work(callId).then(
        () => end(),
        () => end(),
      )
      return promise.finally(() => clearTimeout(timer))
    },
    /** Gives the answer to its call. False if nobody is waiting for it. */
    deliver(callId: string, message: Message): boolean {
      const end = waiting.get(callId)
      end?.(message)
      return end !== undefined
    },
  }
}
