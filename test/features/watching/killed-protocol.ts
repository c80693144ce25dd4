/** What a process that is to be killed asks its parent. */
export interface ChildRequest {
  readonly id: number
  readonly kind: 'clock' | 'poll' | 'done' | 'post' | 'edit' | 'find'
  /** The message's ID at Slack, too. */
  readonly postId?: string
  readonly text?: string
  readonly thread?: string | undefined
}

export interface ParentReply {
  readonly id: number
  readonly nowMs: number
  readonly down?: readonly string[]
  readonly up?: readonly string[]
  /** A person steps down from what they are on. */
  readonly presses?: boolean
  readonly isFound?: boolean
}
