import type { Environment } from '../../domain/environment.ts'
import type { Act } from '../../work/act.ts'

/** Where a request came from, and therefore where its answer goes. */
export interface RequestOrigin {
  workspaceId: string
  /** The organization (Enterprise Grid) that the workspace belongs to. */
  enterpriseId?: string | undefined
  userId: string
  /** The acting person's own workspace, where Slack says it: of another organization in a shared channel. */
  userTeamId?: string | undefined
  channelId?: string | undefined
  /** Commands and messages have one: five answers within 30 minutes. */
  responseUrl?: string | undefined
  /** Pressed on a message that only its reader sees. */
  isEphemeral?: boolean
  /** Opens one window within 3 s. */
  triggerId?: string | undefined
  /** The window it was pressed in: what opens next goes on top of it. */
  modalId?: string | undefined
  /** The thread it was asked in: the answer belongs there. */
  threadTs?: string | undefined
  /** Set where the button or window that was used belongs to one environment; else the channel's setting decides. */
  environment?: Environment | undefined
  /** The line that is being answered; running it again draws its answer again. */
  line?: string | undefined
  /** The answer whose button was pressed; it is drawn again after the form that the button opens. */
  origin?: RedrawTarget | undefined
  reference: string
  /** The act that is being carried out; absent for what only shows something. */
  act?: Act | undefined
}

/** How an answer takes its place. */
export interface ReplyOptions {
  /** Replaces the message or window that was used, instead of following it. */
  inPlace?: boolean
  /** Sends it nowhere else when it cannot be replaced: the person has not asked for the answer. */
  quiet?: boolean
}

/** An answer that only its reader sees, or a window: where it stands, and the line that draws it. */
export interface RedrawTarget {
  line: string
  environment: Environment
  responseUrl?: string
  modalId?: string
}
