import { UserError } from '@signalman/runtime'
import { isDirect, type SlackClient, saidNo } from '@signalman/slack'
import type { Called, EscalationStep } from './rules/escalation-steps.ts'
import { channelIn } from './rules/watch.ts'

/** What the check asks Slack. */
export type PeopleOfSlack = Pick<SlackClient, 'personOf' | 'groupMembers' | 'isInChannel'>

/** Where people are called, and whose direct message that is, if it is one. */
export interface CalledIn {
  readonly channelId: string
  readonly ownerId: string
}

/** The most members of a group that are looked at to find one who can be notified. */
const MOST_MEMBERS = 20

/** Throws UserError if Slack would not notify somebody whom the steps call in this place. */
export async function refuseUnreachable(
  slack: PeopleOfSlack,
  place: CalledIn,
  steps: readonly EscalationStep[],
): Promise<void> {
  const found = await findUnreachable(slack, place, steps)
  if (found.length > 0)
    throw new UserError(`--escalate can’t page everybody: ${found.join(', ')}. Name somebody else.`)
}

/** Those whom Slack would not notify there, with the reason: `@ann is deactivated`. Throws what Slack's client throws. */
export async function findUnreachable(
  slack: PeopleOfSlack,
  place: CalledIn,
  steps: readonly EscalationStep[],
): Promise<string[]> {
  const called = new Map(steps.flatMap(({ call }) => call).map((one) => [one.id ?? one.name, one]))
  const found: string[] = []
  for (const one of called.values()) {
    const asked = one.isGroup ? whyNotGroup(slack, place, one) : whyNotPerson(slack, place, one.id ?? '')
    const why = await asked.catch((error: unknown) => {
      // Slack doesn't let the app see: that somebody can't be notified isn't known.
      if (saidNo(error)) return undefined
      throw error
    })
    if (why) found.push(`${one.name} ${why}`)
  }
  return found
}

async function whyNotPerson(
  slack: PeopleOfSlack,
  { channelId, ownerId }: CalledIn,
  userId: string,
): Promise<string | undefined> {
  if (isDirect(channelId) && userId !== ownerId) return 'isn’t in this direct message'
  const person = await orNobody(slack.personOf(userId))
  if (!person) return 'isn’t in this workspace'
  if (person.isDeactivated) return 'is deactivated'
  if (person.isBot) return 'is an app'
  if (person.isGuest && !isDirect(channelId) && !(await slack.isInChannel(channelIn(channelId), userId)))
    return 'is a guest who isn’t in the channel'
  return undefined
}

async function whyNotGroup(
  slack: PeopleOfSlack,
  place: CalledIn,
  { id = '' }: Called,
): Promise<string | undefined> {
  const members = await orNobody(slack.groupMembers(id))
  if (!members) return 'is no longer a user group'
  for (const member of members.slice(0, MOST_MEMBERS))
    if ((await whyNotPerson(slack, place, member)) === undefined) return undefined
  // Of a larger group the others may well be reachable.
  return members.length > MOST_MEMBERS ? undefined : 'has nobody who can be notified there'
}

/** Undefined where Slack knows no such person or group. */
const orNobody = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof Error && NOBODY.test(error.message)) return undefined
    throw error
  })

const NOBODY = /\b(?:users?_not_found|user_not_visible|no_such_subteam|subteam_not_found)\b/
