import { newId } from '@signalman/runtime'
import type { Message } from '@signalman/slack'

/** Slackbot gives a tool 60 s (https://docs.slack.dev/ai/slackbot-mcp-client, November 2026). */
const WAITS_MS = 50_000

/** The callers that wait for the answer to a Slackbot call. Answers that nobody waits for anymore go to the person's DM. */
export type ToolAnswers = ReturnType<typeof createToolAnswers>

export function createToolAnswers() {
  const waiting = new Map<string, (message?: Message | 'late') => void>()
  return {
    /** Resolves with the first answer to the call: `late` if it takes too long, undefined if there will be none. */
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
    /** False if nobody waits for it. */
    give(callId: string, message: Message): boolean {
      const end = waiting.get(callId)
      end?.(message)
      return end !== undefined
    },
  }
}
