import { UserError } from '@signalman/runtime'
import { isDirect, type SlackClient, saidNo } from '@signalman/slack'
import type { EscalationStep, Responder } from './rules/escalation-steps.ts'
import { getChannelId } from './rules/watch.ts'

/** The Slack methods that this check uses. */
export type PeopleOfSlack = Pick<SlackClient, 'personOf' | 'groupMembers' | 'isInChannel'>

/** Where people are paged, and who owns the watch. */
export interface CallPlace {
  readonly channelId: string
  readonly ownerId: string
}

/** How many members of a group to check until one can be notified. */
const MOST_MEMBERS = 20

/** Throws UserError if Slack wouldn't notify everyone in the steps. */
export async function refuseUnreachable(
  slack: PeopleOfSlack,
  place: CallPlace,
  steps: readonly EscalationStep[],
): Promise<void> {
  const found = await findUnreachable(slack, place, steps)
  if (found.length > 0)
    throw new UserError(`--escalate can’t page everybody: ${found.join(', ')}. Name somebody else.`)
}

/** Lists who Slack wouldn't notify, and why: `@ann is deactivated`. Throws Slack client errors. */
export async function findUnreachable(
  slack: PeopleOfSlack,
  place: CallPlace,
  steps: readonly EscalationStep[],
): Promise<string[]> {
  const called = new Map(steps.flatMap(({ call }) => call).map((one) => [one.id ?? one.name, one]))
  const found: string[] = []
  for (const one of called.values()) {
    const asked = one.isGroup ? whyNotGroup(slack, place, one) : whyNotPerson(slack, place, one.id ?? '')
    const why = await asked.catch((error: unknown) => {
      // The app isn't allowed to see this, so assume that they can be notified.
      if (saidNo(error)) return undefined
      throw error
    })
    if (why) found.push(`${one.name} ${why}`)
  }
  return found
}

async function whyNotPerson(
  slack: PeopleOfSlack,
  { channelId, ownerId }: CallPlace,
  userId: string,
): Promise<string | undefined> {
  if (isDirect(channelId) && userId !== ownerId) return 'isn’t in this direct message'
  const person = await orUndefined(slack.personOf(userId))
  if (!person) return 'isn’t in this workspace'
  if (person.isDeactivated) return 'is deactivated'
  if (person.isBot) return 'is an app'
  if (person.isGuest && !isDirect(channelId) && !(await slack.isInChannel(getChannelId(channelId), userId)))
    return 'is a guest who isn’t in the channel'
  return undefined
}

async function whyNotGroup(
  slack: PeopleOfSlack,
  place: CallPlace,
  { id = '' }: Responder,
): Promise<string | undefined> {
  const members = await orUndefined(slack.groupMembers(id))
  if (!members) return 'is no longer a user group'
  for (const member of members.slice(0, MOST_MEMBERS))
    if ((await whyNotPerson(slack, place, member)) === undefined) return undefined
  // A larger group may well have someone who can be notified.
  return members.length > MOST_MEMBERS ? undefined : 'has nobody who can be notified there'
}

/** Undefined if Slack has no such person or group. */
const orUndefined = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof Error && NOBODY.test(error.message)) return undefined
    throw error
  })

const NOBODY = /\b(?:users?_not_found|user_not_visible|no_such_subteam|subteam_not_found)\b/
