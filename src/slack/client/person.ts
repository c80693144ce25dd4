import type { webApi } from '@slack/bolt'

/** What Slack says of a person. The e-mail address needs the scope `users:read.email`. */
export interface Person {
  name: string
  email: string | undefined
  /** Of the IANA database, such as `Europe/Paris`. */
  timeZone?: string | undefined
  /** Their own workspace; in an organization, one of its workspaces. */
  teamId: string | undefined
  enterpriseId?: string | undefined
  /** An admin or owner of the workspace. */
  isAdmin: boolean
  /** A guest of one or of several channels. */
  isGuest: boolean
  isDeactivated: boolean
  isBot: boolean
  /** Belongs to another organization and was met in a shared channel. */
  isStranger: boolean
}

type SlackUser = NonNullable<webApi.UsersInfoResponse['user']>

export function personFrom(userId: string, user: SlackUser): Person {
  return {
    name: user.profile?.display_name || user.real_name || user.name || userId,
    email: user.profile?.email || undefined,
    timeZone: user.tz || undefined,
    teamId: user.team_id,
    enterpriseId: user.enterprise_user?.enterprise_id,
    isAdmin: Boolean(user.is_admin || user.is_owner),
    isGuest: Boolean(user.is_restricted || user.is_ultra_restricted),
    isDeactivated: Boolean(user.deleted),
    isBot: Boolean(user.is_bot || user.is_workflow_bot || userId === 'USLACKBOT'),
    isStranger: Boolean(user.is_stranger),
  }
}
