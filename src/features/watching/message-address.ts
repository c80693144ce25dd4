import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@signalman/runtime'
import type { PostedMessage, SlackClients, Workspace } from '@signalman/slack'

/** The address of a message that the app posted. Undefined if Slack doesn't say it: what links to it does without. */
export type FindAddress = (workspace: Workspace, message: PostedMessage) => Promise<string | undefined>

/** No page and no answer waits longer for a link. */
const TIMEOUT_MS = 1000

export const createFindAddress =
  (clients: Pick<SlackClients, 'forWorkspace'>, log: Log): FindAddress =>
  async (workspace, message) => {
    // The client remembers what comes later.
    const finding = clients
      .forWorkspace(workspace)
      .then((slack) => slack.getAddress(message))
      .catch((err: unknown) => {
        log.info({ workspace: workspace.workspaceId, err }, 'Couldn’t look up the address of a message.')
        return undefined
      })
    return Promise.race([finding, sleep(TIMEOUT_MS, undefined, { ref: false })])
  }
