import { slackUser } from '../payloads/person.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Person } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { SLACKBOT } from '../state/people.ts'
import type { World } from '../state/world.ts'
import { ALL_ITEMS, ApiError, type Args, paginate, type RunMethod, required } from './method.ts'

export function findPerson({ people }: World, args: Args, { canReach }: Caller): Person {
  const person = people.find(required(args, 'user'))
  if (!person || !canReach(activeTeamId(person))) throw new ApiError('user_not_found')
  return person
}

/** Slack's own user, which is in every workspace. Slack doesn't call it a bot (cassettes of slack-ruby-client, November 2026). */
const createSlackbot = (teamId: string): Person => ({
  id: SLACKBOT,
  teamId,
  name: 'slackbot',
  realName: 'Slackbot',
  role: 'member',
  deleted: false,
})

const usersInfo: RunMethod = ({ world, args, caller }) => {
  const person = args.user === SLACKBOT ? createSlackbot(caller.teamId) : findPerson(world, args, caller)
  return { user: slackUser(person, world.people) }
}

const usersList: RunMethod = ({ world: { people }, args, caller }) => {
  const { teamId } = caller
  const { page, response_metadata } = paginate(
    [createSlackbot(teamId), ...people.visibleIn(teamId)],
    args,
    // https://docs.slack.dev/reference/methods/users.list (November 2026)
    { defaultLimit: ALL_ITEMS },
  )
  return {
    members: page.map((person) => slackUser(person, people)),
    response_metadata,
  }
}

const authTest: RunMethod = ({ world: { people, url }, caller: { teamId, bot } }) => {
  const workspace = people.workspaces.find((candidate) => candidate.id === teamId)
  const { userId, botId } = bot(teamId)
  const { organization } = workspace ?? {}
  return {
    url: `${url()}/`,
    team: workspace?.name ?? '',
    user: people.find(userId)?.name ?? '',
    team_id: teamId,
    user_id: userId,
    bot_id: botId,
    ...(organization && { enterprise_id: organization.id }),
    is_enterprise_install: false,
  }
}

export const peopleMethods: Record<string, RunMethod> = {
  'auth.test': authTest,
  'users.info': usersInfo,
  'users.list': usersList,
}
