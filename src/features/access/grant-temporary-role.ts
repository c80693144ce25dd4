import { DAY_MS, MINUTE_MS, UserError } from '@signalman/runtime'
import { card, type Message, person as personElement } from '@signalman/slack'
import { findPerson, type Standing } from '../../bot/access/actor.ts'
import type {
  ActSteps,
  DecidingSteps,
  Messaging,
  Requester,
  Rights,
} from '../../bot/routes/command-context.ts'
import type { Grants } from '../../bot/workspaces/grants.ts'
import { cmd } from '../../domain/command-names.ts'
import { readDuration } from '../../domain/dates/duration.ts'
import { type GrantableRole, ROLE_DESCRIPTIONS } from '../../domain/roles.ts'
import { latestGrantEnd } from './rules/access-settings.ts'
import { ownRoleEndsLine } from './views/rights.ts'

const MIN_GRANT_MS = 15 * MINUTE_MS
const MAX_GRANT_MS = 90 * DAY_MS

/** Gives a person a role for a limited time. Throws UserError if they can't have a role. */
export async function grantTemporaryRole(
  { grants }: { grants: Grants },
  context: Requester & ActSteps & DecidingSteps & Messaging & Rights,
  { person, role, time }: { person: string; role: GrantableRole; time: string },
): Promise<Message> {
  const minutes = readDuration(time)
  const ms = minutes === undefined ? undefined : minutes * MINUTE_MS
  if (ms === undefined || ms < MIN_GRANT_MS || ms > MAX_GRANT_MS)
    throw new UserError(
      'For how long? Type a time from 15 minutes to 90 days, such as `30m`, `8h`, or `14d`.',
    )
  const slack = await context.slack()
  const userId = await context.remember('person', () => findPerson(slack, person))
  await refuseIneligible(context, [userId])
  const ownEnd = latestGrantEnd(await context.roles(), context.now)
  const requestedEnd = new Date(await context.remember('until', async () => context.now.getTime() + ms))
  const endsAt = await context.decide<string | undefined>(
    {
      verb: '/hc grant',
      object: `role ${role} of ${userId}`,
      after: (endsAt: string | undefined) => ({ role, person: userId, until: endsAt ?? null }),
    },
    async (decisions) => {
      const subject = { kind: 'user', id: userId } as const
      const end = { endsAt: requestedEnd, maxEnd: ownEnd }
      const extended = await grants.within(decisions).extend(role, subject, context.userId, context.now, end)
      return extended.endsAt
    },
  )
  const wasShortened = endsAt !== undefined && new Date(endsAt) < requestedEnd
  return card({
    headline: endsAt
      ? [
          personElement(userId),
          ` can ${ROLE_DESCRIPTIONS[role]} until `,
          new Date(endsAt),
          ` (${role} role).`,
        ]
      : [
          personElement(userId),
          ` already has the ${role} role permanently, so nothing was changed. To remove it, use ${cmd('/hc access')}.`,
        ],
    notes: wasShortened && ownEnd ? [ownRoleEndsLine(ownEnd)] : [],
  })
}

/** Throws UserError about the first of these people who can't have a role. */
export async function refuseIneligible(context: Rights, userIds: readonly string[]): Promise<void> {
  for (const { userId, name = userId, standing } of await Promise.all(userIds.map(context.findActor))) {
    if (standing === 'foreign' && name === userId)
      throw new UserError(`Slack has no user with the ID ${userId} here.`)
    if (standing === 'unknown')
      throw new UserError(
        `Slack isn’t responding, so Signalman can’t look up ${name}. Try again in a minute.`,
      )
    const reason = INELIGIBLE_REASONS[standing]
    if (reason) throw new UserError(`${name} ${reason}, so they can’t have a role.`)
  }
}

const INELIGIBLE_REASONS: Partial<Record<Standing, string>> = {
  deactivated: 'has a deactivated account',
  bot: 'is an app',
  foreign: 'belongs to another organization',
  guest: 'is a guest, and guests can’t change anything here',
}
