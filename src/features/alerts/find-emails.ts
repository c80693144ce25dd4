import { UserError } from '@signalman/runtime'
import { clip, oneLine, type SlackClient } from '@signalman/slack'

export type ProfileReader = Pick<SlackClient, 'readPerson'>

/** Finds the email addresses of people in Slack. Throws UserError that names people without one. */
export async function findEmails(
  { readPerson }: ProfileReader,
  userIds: readonly string[],
): Promise<string[]> {
  const people = await Promise.all(
    userIds.map((userId) => readPerson(userId).catch(refuseUnavailableProfiles)),
  )
  const withoutEmail = people.filter(({ email }) => !email).map(({ name }) => clip(oneLine(name), 80))
  if (withoutEmail.length > 0)
    throw new UserError(
      `Slack doesn’t show an email address for ${withoutEmail.join(', ')}. Remove them from the people you chose and type their addresses instead. If this happens for everyone, the app lacks the scope users:read.email.`,
    )
  return people.flatMap(({ email }) => (email ? [email] : []))
}

function refuseUnavailableProfiles(): never {
  throw new UserError(
    'Slack didn’t return the email addresses of the people you chose. Type the addresses instead, or submit again in a minute. If this keeps happening, the app lacks the scope users:read.email.',
  )
}
