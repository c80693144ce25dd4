/** By what a post is found whose outcome is unknown. */
export interface SentMark {
  readonly mark: string
  readonly sentAt: Date
  /** By the same clock: earlier than it was sent, where that clock was set back since. */
  readonly lookedAt?: Date | undefined
  /** Of the message in whose thread it was put. */
  readonly threadTs?: string | undefined
}

/** In a channel, or in somebody's direct messages. */
export type SoughtPost = SentMark & ({ readonly channelId: string } | { readonly to: string })
