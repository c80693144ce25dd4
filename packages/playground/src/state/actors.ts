import type { Channel, Person } from '../protocol/protocol.ts'
import type { World } from './world.ts'

/** Thrown if an action from the page or the driver is invalid. The message says what to do. */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Finds a person whose view of Slack can be shown, even one with a deactivated account. Throws ActionError for unknown IDs and for the
 * app's bots.
 */
export function findAccount({ people }: Pick<World, 'people'>, id: string): Person {
  const person = people.find(id)
  if (!person || !people.actors.includes(id))
    throw new ActionError(
      'user_not_found',
      `There is no person "${id}" to act as. Choose one of ${people.actors.join(', ')}.`,
    )
  return person
}

/**
 * Finds the person to act as. Throws ActionError for those that `findAccount` doesn't find, and for deactivated accounts, which Slack signs
 * out (https://slack.com/help/articles/204475027-Deactivate-a-members-account, November 2026).
 */
export function findActor(world: Pick<World, 'people'>, id: string): Person {
  const person = findAccount(world, id)
  if (person.deleted)
    throw new ActionError(
      'user_disabled',
      `${person.name}'s account is deactivated. Act as someone else, or reactivate it first.`,
    )
  return person
}

/** Finds a channel that the person is in, by ID or name. Throws ActionError if there is none. */
export function findOwnChannel({ people }: Pick<World, 'people'>, person: Person, name: string): Channel {
  const channel = people.findChannel(name, ({ members }) => members.includes(person.id))
  if (!channel) throw new ActionError('channel_not_found', `${person.name} isn't in a channel "${name}".`)
  return channel
}
