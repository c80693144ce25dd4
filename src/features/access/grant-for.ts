import { utc } from '../../blocks/dates.ts'
import { section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import { findPerson } from '../../bot/access/find-person.ts'
import type { ActSteps } from '../../bot/routes/audited-acts.ts'
import type { Messaging, Requester } from '../../bot/routes/command-context.ts'
import { DAY_MS, readDuration } from '../../domain/durations.ts'
import { type GivenRole, ROLE_MEANS } from '../../domain/roles.ts'
import { UserError } from '../../errors.ts'
import type { Person } from '../../slack/client/person.ts'
import type { Grants } from '../../store/workspaces/grants.ts'

const SHORTEST_MS = 15 * 60_000
const LONGEST_MS = 90 * DAY_MS

/** What is given, as it was typed. */
export interface GrantWish {
  person: string
  role: GivenRole
  time: string
}

/** Gives a person a role for a time, once for this act. Throws UserError where it would be without effect. */
export async function grantFor(
  { grants }: { grants: Grants },
  context: Requester & ActSteps & Messaging,
  { person, role, time }: GrantWish,
): Promise<Message> {
  const ms = readDuration(time)
  if (ms === undefined || ms < SHORTEST_MS || ms > LONGEST_MS)
    throw new UserError('For how long? From 15m to 90d: `30m`, `8h`, `14d`.')
  const slack = await context.slack()
  const userId = await context.keep('person', () => findPerson(slack, person))
  const useless = uselessOf(await slack.personOf(userId))
  if (useless) throw new UserError(`<@${userId}> ${useless}, so a role would be of no use to them.`)
  const until = new Date(await context.keep('until', async () => context.now.getTime() + ms))
  const isGiven = await context.change<boolean>(
    {
      verb: '/hc grant',
      object: `role ${role} of ${userId}`,
      after: { role, person: userId, until: until.toISOString() },
      isRepeatable: true,
    },
    async () => {
      const subject = { kind: 'user', id: userId } as const
      await grants.add(context.workspaceId, role, subject, context.userId, context.now, until)
      const given = await grants.list(context.workspaceId)
      return given.some(
        (grant) => grant.role === role && grant.subject.id === userId && grant.endsAt !== undefined,
      )
    },
  )
  const sentence = isGiven
    ? `<@${userId}> may ${ROLE_MEANS[role]} until ${utc(until)}: role ${role}.`
    : `<@${userId}> has the role ${role} already, without an end. Nothing was changed: /hc access takes it away.`
  return message(sentence, section(sentence))
}

function uselessOf({ isGuest, isDeactivated, isBot, isStranger }: Person): string | undefined {
  if (isDeactivated) return 'has a deactivated account'
  if (isBot) return 'is an app'
  if (isStranger) return 'belongs to another organization'
  return isGuest ? 'is a guest, and guests change nothing here' : undefined
}
