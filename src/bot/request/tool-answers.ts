import { newId } from '@signalman/runtime'
import type { Message } from '@signalman/slack'

/** Slackbot gives a tool 60 s (https://docs.slack.dev/ai/slackbot-mcp-client, November 2026). */
const WAITS_MS = 50_000

/** Who waits for what is said to a call of Slackbot's. What nobody waits for any more is written to the person. */
export type ToolAnswers = ReturnType<typeof createToolAnswers>

export function createToolAnswers() {
  const waiting = new Map<string, (message?: Message | 'late') => void>()
  return {
    /** Resolves with the first thing that is said to the call: `late` when it is not said in time, undefined when nothing ever is. */
    async during(work: (callId: string) => Promise<unknown>): Promise<Message | 'late' | undefined> {
      const callId = newId()
      const { promise, resolve } = Promise.withResolvers<Message | 'late' | undefined>()
      const end = (message?: Message | 'late'): void => {
        waiting.delete(callId)
        resolve(message)
      }
      waiting.set(callId, end)
      const late = setTimeout(end, WAITS_MS, 'late')
      work(callId).then(
        () => end(),
        () => end(),
      )
      return promise.finally(() => clearTimeout(late))
    },
    /** False when nobody waits for it. */
    give(callId: string, message: Message): boolean {
      const end = waiting.get(callId)
      end?.(message)
      return end !== undefined
    },
  }
}
