import type { Log } from '@signalman/runtime'
import type { PostedMessage, SlackClients, Workspace } from '@signalman/slack'

/** The address of a message that the app posted. Undefined if Slack doesn't say it: what links to it does without. */
export type FindAddress = (workspace: Workspace, message: PostedMessage) => Promise<string | undefined>

export const createFindAddress =
  (clients: Pick<SlackClients, 'forWorkspace'>, log: Log): FindAddress =>
  async (workspace, message) => {
    try {
      return await (await clients.forWorkspace(workspace)).getAddress(message)
    } catch (err) {
      log.info({ workspace: workspace.workspaceId, err }, 'Couldn’t look up the address of a message.')
      return undefined
    }
  }
