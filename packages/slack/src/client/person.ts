import type { webApi } from '@slack/bolt'

/** What Slack says of a person. The e-mail address needs the scope `users:read.email`. */
export interface Person {
  name: string
  email: string | undefined
  /** Of the IANA database, such as `Europe/Paris`. */
  timeZone?: string | undefined
  /** Their own workspace; in an organization, one of its workspaces. */
  teamId: string | undefined
  /** All their workspaces: `teamId`, and in an organization the others too. */
  teamIds: readonly string[]
  /** Their organization (Enterprise Grid). */
  enterpriseId?: string | undefined
  /** An admin or owner of the workspace. */
  isAdmin: boolean
  /** A guest of one or of several channels. */
  isGuest: boolean
  isDeactivated: boolean
  isBot: boolean
}

type SlackUser = NonNullable<webApi.UsersInfoResponse['user']>

/**
 * Slack's `is_stranger` is left alone: it is set only for those who share no channel with the app, and so says of nobody that they are
 * of this organization (https://docs.slack.dev/reference/objects/user-object, November 2026).
 */
export function personFrom(userId: string, user: SlackUser): Person {
  const { team_id: teamId, enterprise_user: inOrganization } = user
  return {
    name: user.profile?.display_name || user.real_name || user.name || userId,
    email: user.profile?.email || undefined,
    timeZone: user.tz || undefined,
    teamId,
    teamIds: [...new Set([...(teamId ? [teamId] : []), ...(inOrganization?.teams ?? user.teams ?? [])])],
    enterpriseId:
      inOrganization?.enterprise_id ?? user.enterprise_id ?? (teamId?.startsWith('E') ? teamId : undefined),
    isAdmin: Boolean(user.is_admin || user.is_owner),
    isGuest: Boolean(user.is_restricted || user.is_ultra_restricted),
    isDeactivated: Boolean(user.deleted),
    isBot: Boolean(user.is_bot || user.is_workflow_bot || userId === 'USLACKBOT'),
  }
}
