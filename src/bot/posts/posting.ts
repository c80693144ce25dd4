import type { Settings, Steps } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { SlackClients, Workspace } from '@signalman/slack'
import type { Reachability } from '../access/reachable.ts'
import { createMayPost } from './may-post.ts'
import type { OwnerNoticeDeps } from './notify-owner.ts'
import { createPosts, type PostTimes } from './post-once.ts'
import { createPoster } from './poster.ts'

/** What background work needs to post messages once, edit them, and find them again. */
export function createPosting(deps: {
  clients: SlackClients
  reachability: Reachability
  store: {
    readonly steps: Steps
    readonly settings: Pick<Settings, 'get'>
    handleSharedChannel(workspaceId: string, channelId: string): Promise<unknown>
  }
  times: Partial<PostTimes> | undefined
  log: Log
}): OwnerNoticeDeps {
  const { clients, reachability, store, times, log } = deps
  const onSharedChannel = ({ workspaceId }: Workspace, channelId: string) =>
    store.handleSharedChannel(workspaceId, channelId)
  return {
    poster: createPoster(clients),
    posts: createPosts({ steps: store.steps, log, times }),
    steps: store.steps,
    mayPost: createMayPost({ clients, onSharedChannel }),
    reachability,
    reportError: (err, message, fields) => log.warn({ ...fields, err }, message),
  }
}
