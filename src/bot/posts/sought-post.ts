/** How a post is known whose outcome nobody has heard of. */
export interface SentMark {
  readonly mark: string
  readonly sentAt: Date
  /** Of the message in whose thread it was put. */
  readonly threadTs?: string | undefined
}

/** In a channel, or in somebody's direct messages. */
export type SoughtPost = SentMark & ({ readonly channelId: string } | { readonly to: string })
