import { DAY_MS } from '@signalman/runtime'
import type { Message } from '../blocks/message.ts'

/** Sends messages whose blocks a workspace may not know yet. */
export interface NewBlocks {
  /**
   * Sends the message as it is; in its classic blocks where Slack refuses the others, and from then on for a while.
   * A message without classic blocks is sent as it is. Throws what `send` throws.
   */
  send<T>(workspaceId: string, message: Message, send: (message: Message) => Promise<T>): Promise<T>
}

const REMEMBERED_MS = DAY_MS
const KEPT = 1000

export function createNewBlocks(now: () => Date): NewBlocks {
  const refusedAt = new Map<string, number>()

  function refuses(workspaceId: string): boolean {
    return now().getTime() - (refusedAt.get(workspaceId) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS
  }

  function remember(workspaceId: string): void {
    // Put last: the first entry is the oldest.
    refusedAt.delete(workspaceId)
    refusedAt.set(workspaceId, now().getTime())
    if (refusedAt.size > KEPT) refusedAt.delete(refusedAt.keys().next().value ?? '')
  }

  return {
    async send(workspaceId, message, send) {
      const { classic, isOnce = false } = message
      if (!classic) return send(message)
      const plainer = (): Message => ({ text: message.text, blocks: classic() })
      if (!isOnce && refuses(workspaceId)) return send(plainer())
      try {
        return await send(message)
      } catch (error) {
        if (!isOfBlocks(error)) throw error
        const sent = await send(plainer())
        // Only now it is certain that Slack refused the new blocks.
        if (!isOnce) remember(workspaceId)
        return sent
      }
    },
  }
}

/** Whether Slack refused the blocks themselves: sent another way, it would refuse them again. */
export const isOfBlocks = (error: unknown): boolean =>
  error instanceof Error && /invalid_blocks/.test(error.message)
