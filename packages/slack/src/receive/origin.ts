import { present, type Surface } from './surface.ts'
/** A workspace, as requests name it. */
export interface Workspace {
  /** The organization's id where Slack names no workspace of it (see whereabouts.ts). */
  workspaceId: string
  /** The organization (Enterprise Grid) that it belongs to. */
  enterpriseId?: string | undefined
}

/** The acting person. */
export interface RequestUser extends Workspace {
  userId: string
  /** Their own workspace or organization, where the request says it: in a channel that is shared it may be another one. */
  homeId?: string
}

/** Who asks, and in which channel. */
export interface Caller extends RequestUser {
  /** Absent in App Home, and in a window until its state was read. */
  channelId?: string
  /** Found in the log on every line of this request, and in every error that a person sees. */
  reference: string
}

/** Where a request came from, and therefore where its answer goes. */
export interface RequestOrigin extends Caller {
  surface: Surface
}

/** Whether a channel is the direct messages of two: Slack's ids say so by their first letter. */
export const isDirect = (channelId: string): boolean => channelId.startsWith('D')

/** Only these facts of a request, for work that outlives it. */
export function callerOf(from: Caller): Caller {
  const { workspaceId, enterpriseId, userId, homeId, channelId, reference } = from
  return present({ workspaceId, enterpriseId, userId, homeId, channelId, reference })
}
