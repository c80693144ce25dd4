import { present, type Surface } from './surface.ts'
/** A workspace, as requests name it. */
export interface Workspace {
  workspaceId: string
  /** The organization (Enterprise Grid) that it belongs to. */
  enterpriseId?: string | undefined
}

/** The acting person. */
export interface RequestUser extends Workspace {
  userId: string
  /** Their own workspace, where Slack says it: of another organization in a shared channel. */
  userTeamId?: string
}

/** Who asks, and in which channel. */
export interface Caller extends RequestUser {
  /** Absent in App Home, in direct messages with the app, and in a window until its state was read. */
  channelId?: string
  /** Found in the log on every line of this request, and in every error that a person sees. */
  reference: string
}

/** Where a request came from, and therefore where its answer goes. */
export interface RequestOrigin extends Caller {
  surface: Surface
}

/** Only these facts of a request, for work that outlives it. */
export function callerOf(from: Caller): Caller {
  const { workspaceId, enterpriseId, userId, userTeamId, channelId, reference } = from
  return present({ workspaceId, enterpriseId, userId, userTeamId, channelId, reference })
}
