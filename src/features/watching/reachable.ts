import { UserError } from '@signalman/runtime'
import { isDirect, type SlackClient, wasRejected } from '@signalman/slack'
import type { EscalationStep, Responder } from './rules/escalation-steps.ts'
import { getChannelId } from './rules/watch.ts'

/** The Slack methods that tell whether people can be notified. */
export type SlackPeople = Pick<SlackClient, 'readPerson' | 'groupMembers' | 'isInChannel'>

/** The channel that people are paged in, and the owner of the watch. */
export interface PagingContext {
  readonly channelId: string
  readonly ownerId: string
}

/** The maximum number of group members to check. */
const MAX_MEMBERS_CHECKED = 20

/** Throws UserError if an escalation step names someone whom Slack can't notify in the channel. */
export async function requireReachable(
  slack: SlackPeople,
  paging: PagingContext,
  steps: readonly EscalationStep[],
): Promise<void> {
  const unreachable = await findUnreachable(slack, paging, steps)
  if (unreachable.length > 0)
    throw new UserError(`--escalate can’t page everyone: ${unreachable.join(', ')}. Name someone else.`)
}

/** Lists the people and groups whom Slack can't notify, with the reason: `@ann is deactivated`. Throws Slack client errors. */
export async function findUnreachable(
  slack: SlackPeople,
  paging: PagingContext,
  steps: readonly EscalationStep[],
): Promise<string[]> {
  const responders = new Map(
    steps
      .flatMap(({ responders }) => responders)
      .map((responder) => [responder.id ?? responder.name, responder]),
  )
  const unreachable: string[] = []
  for (const responder of responders.values()) {
    const explanation = responder.isGroup
      ? explainUnreachableGroup(slack, paging, responder)
      : explainUnreachablePerson(slack, paging, responder.id ?? '')
    const reason = await explanation.catch((error: unknown) => {
      // The app lacks the permission to look them up. Assume that they can be notified.
      if (wasRejected(error)) return undefined
      throw error
    })
    if (reason) unreachable.push(`${responder.name} ${reason}`)
  }
  return unreachable
}

async function explainUnreachablePerson(
  slack: SlackPeople,
  { channelId, ownerId }: PagingContext,
  userId: string,
): Promise<string | undefined> {
  if (isDirect(channelId) && userId !== ownerId) return 'isn’t in this direct message'
  const person = await undefinedIfNotFound(slack.readPerson(userId))
  if (!person) return 'isn’t in this workspace'
  if (person.isDeactivated) return 'is deactivated'
  if (person.isBot) return 'is an app'
  if (person.isGuest && !isDirect(channelId) && !(await slack.isInChannel(getChannelId(channelId), userId)))
    return 'is a guest who isn’t in the channel'
  return undefined
}

async function explainUnreachableGroup(
  slack: SlackPeople,
  paging: PagingContext,
  { id = '' }: Responder,
): Promise<string | undefined> {
  const members = await undefinedIfNotFound(slack.groupMembers(id))
  if (!members) return 'is no longer a user group'
  for (const member of members.slice(0, MAX_MEMBERS_CHECKED))
    if ((await explainUnreachablePerson(slack, paging, member)) === undefined) return undefined
  // A larger group may well have someone who can be notified.
  return members.length > MAX_MEMBERS_CHECKED ? undefined : 'has nobody who can be notified there'
}

/** Resolves with undefined if Slack has no such person or group. */
const undefinedIfNotFound = <T>(request: Promise<T>): Promise<T | undefined> =>
  request.catch((error: unknown) => {
    if (error instanceof Error && NOT_FOUND.test(error.message)) return undefined
    throw error
  })

const NOT_FOUND = /\b(?:users?_not_found|user_not_visible|no_such_subteam|subteam_not_found)\b/
