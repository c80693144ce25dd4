import type { Environment } from '../store/store.ts'

/** Where a request came from, and hence where its answer goes. */
export interface Place {
  workspaceId: string
  /** The organization (Enterprise Grid) that the workspace belongs to. */
  enterpriseId: string | undefined
  userId: string
  /** The acting person's own workspace, where Slack says it: of another organization in a shared channel. */
  userTeamId: string | undefined
  channelId: string | undefined
  /** Commands and messages have one: five answers within 30 minutes. */
  responseUrl: string | undefined
  /** Opens one window within 3 s. */
  triggerId: string | undefined
  /** The window it was pressed in: what opens next goes on top of it. */
  modalId: string | undefined
  /** The thread it was asked in: the answer belongs there. */
  threadTs: string | undefined
  /** Set where the button or window that was used belongs to one environment; else the channel's setting decides. */
  environment: Environment | undefined
  reference: string
}

/** What a window's private_metadata points to. */
export interface ModalDraft {
  environment: Environment
  channelId?: string
  about?: unknown
}

/** What the buttons of one message point to: `<draft id>.<index into lines>`. */
export interface OfferDraft {
  environment: Environment
  channelId?: string
  lines: string[]
}
