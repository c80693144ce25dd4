import type { AppLink } from '../delivery/app-link.ts'
import { sendEvent } from '../delivery/events.ts'
import type { Fields } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Outcome, PostBody, UserGroup } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'

/** A user group as in the Web API and in events. */
export function slackGroup(group: UserGroup, withUsers = true): Fields {
  const { id, teamId, handle, name, users, description = '', channels = [] } = group
  return {
    id,
    team_id: teamId,
    is_usergroup: true,
    is_subteam: true,
    name,
    handle,
    description,
    is_external: false,
    auto_type: null,
    auto_provision: false,
    enterprise_subteam_id: '',
    date_create: 0,
    date_update: group.updatedAt ?? 0,
    date_delete: group.disabledAt ?? 0,
    created_by: '',
    updated_by: '',
    user_count: users.length,
    channel_count: channels.length,
    prefs: { channels: [...channels], groups: [] },
    ...(withUsers && { users: [...users] }),
  }
}

/**
 * Saves a user group, and sends the matching events to the app. (https://docs.slack.dev/reference/events/subteam_created,
 * subteam_updated and subteam_members_changed; November 2026)
 */
export function saveGroup(world: World, link: AppLink, user: string, next: UserGroup): UserGroup {
  const previous = world.groups.find(({ id }) => id === next.id)
  const group = { ...next, updatedAt: Math.floor(world.now().getTime() / 1000) }
  world.groups = [...world.groups.filter(({ id }) => id !== next.id), group]
  world.log.append({ type: 'reset' }, null)
  void sendEvent(world, link, previous ? 'subteam_updated' : 'subteam_created', user, {
    subteam: slackGroup(group),
  })
  const added = group.users.filter((id) => previous && !previous.users.includes(id))
  const removed = (previous?.users ?? []).filter((id) => !group.users.includes(id))
  if (added.length + removed.length > 0)
    void sendEvent(world, link, 'subteam_members_changed', user, {
      subteam_id: group.id,
      team_id: group.teamId,
      date_update: group.updatedAt,
      date_previous_update: previous?.updatedAt ?? 0,
      added_users: added,
      removed_users: removed,
      added_users_count: added.length,
      removed_users_count: removed.length,
    })
  return group
}

/** A person joins or leaves a user group in their workspace. `group` is its ID or handle. */
export function joinOrLeaveGroup(
  world: World,
  link: AppLink,
  { user, group: name, leave = false }: PostBody<'group'>,
): Outcome {
  const person = findActor(world, user)
  const { seq } = world.log
  const group = world.groups.find(
    ({ id, handle, teamId, disabledAt }) =>
      teamId === activeTeamId(person) && !disabledAt && [id, handle].includes(name.replace(/^@/, '')),
  )
  if (!group) throw new ActionError('no_such_subteam', `There is no user group "${name}" to join or leave.`)
  const otherUsers = group.users.filter((id) => id !== person.id)
  if (group.users.includes(person.id) === leave)
    saveGroup(world, link, person.id, { ...group, users: leave ? otherUsers : [...otherUsers, person.id] })
  return { ok: true, deliveryId: null, seq }
}
