import type { Api, Environment } from '../api/service.ts'
import type { SlackClient } from './slack-client.ts'

/** Who asks, from where, and what they may use to answer: everything a handler gets besides what was typed or pressed. */
export interface Ask {
  readonly workspaceId: string
  readonly userId: string
  /** Where it was asked; absent in App Home and in a modal that was opened from there. */
  readonly channelId: string | undefined
  readonly environment: Environment
  /** Found in the log on every line of this request, and in every error that a person sees. */
  readonly reference: string
  readonly now: Date
  /** The service, as this workspace, in the ask's environment or the one given. Throws UserError when nobody has stored a token yet. */
  api(environment?: Environment): Promise<Api>
  /** Slack, as the app in this workspace. */
  slack(): Promise<SlackClient>
}
