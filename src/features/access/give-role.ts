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
import type { Grants, SavedGrant } from '../../bot/workspaces/grants.ts'
import { cmd } from '../../domain/command-names.ts'
import { readDuration } from '../../domain/dates/duration.ts'
import { readMoment } from '../../domain/dates/moment.ts'
import { toZoned } from '../../domain/dates/zoned.ts'
import { type GrantableRole, ROLE_DESCRIPTIONS, type Subject } from '../../domain/roles.ts'
import { auditedSubject, grantName, latestGrantEnd } from './rules/grants.ts'
import { ownRoleEndsLine } from './views/rights.ts'

const MIN_GRANT_MS = 15 * MINUTE_MS
const MAX_GRANT_MS = 90 * DAY_MS

/** A role as it was given, or as the subject already had it. `endsAt` is ISO 8601; without it, the role is permanent. */
export interface GivenRole {
  readonly subject: Subject
  readonly endsAt: string | undefined
  /** When the role ended before, if it lasted longer. */
  readonly longerEnd: string | undefined
}

/**
 * Gives each of these subjects a role. It ends no later than the role of the person who gives it. A permanent role stays as it is.
 * Throws UserError if one of them can't have a role.
 */
export async function giveRole(
  { grants }: { grants: Grants },
  context: GivingContext,
  { verb, role, subjects }: { verb: string; role: GrantableRole; subjects: readonly Subject[] },
  endsAt: Date | undefined,
): Promise<GivenRole[]> {
  await refuseIneligible(
    context,
    subjects.filter(({ kind }) => kind === 'user').map(({ id }) => id),
  )
  const maxEnd = latestGrantEnd(await context.roles(), context.now)
  const given: GivenRole[] = []
  for (const subject of subjects) {
    const toAudited = (until: string | null) => ({ role, ...auditedSubject(subject), until })
    const saved = await context.decide<SavedGrant>(
      {
        verb,
        object: grantName({ role, subject }),
        before: (saved?: SavedGrant) =>
          saved?.previousEnd === undefined ? undefined : toAudited(saved.previousEnd),
        after: (saved?: SavedGrant) => toAudited(saved?.endsAt ?? null),
      },
      (decisions) =>
        grants.within(decisions).extend(role, subject, context.userId, context.now, { endsAt, maxEnd }),
    )
    const { endsAt: end, previousEnd } = saved
    const longerEnd = end && previousEnd && previousEnd > end ? previousEnd : undefined
    given.push({ subject, endsAt: end, longerEnd })
  }
  return given
}

type GivingContext = Requester & ActSteps & DecidingSteps & Messaging & Rights

/** The end as typed: a duration, or a time after `until`. */
export type TypedEnd = Readonly<Partial<Record<'for' | 'until', string | undefined>>>

/** Gives a person a role for a limited time. Throws UserError if they can't have a role. */
export async function grantTemporaryRole(
  deps: { grants: Grants },
  context: GivingContext,
  { person, role, end: typedEnd }: { person: string; role: GrantableRole; end: TypedEnd },
): Promise<Message> {
  const { timeZone = 'UTC' } = await context.actor()
  const until = await context.remember('until', async () => readTypedEnd(typedEnd, context.now, timeZone))
  const requestedEnd = new Date(until)
  const slack = await context.slack()
  const userId = await context.remember('person', () => findPerson(slack, person))
  const subject = { kind: 'user', id: userId } as const
  const [given] = await giveRole(
    deps,
    context,
    { verb: '/hc grant', role, subjects: [subject] },
    requestedEnd,
  )
  const endsAt = given?.endsAt
  const ownEnd = latestGrantEnd(await context.roles(), context.now)
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
    notes: [
      ...(given?.longerEnd
        ? [['It’s shorter than before: they had the role until ', new Date(given.longerEnd), '.']]
        : []),
      ...(wasShortened && ownEnd ? [ownRoleEndsLine(ownEnd)] : []),
    ],
  })
}

/** When a role ends, in milliseconds since 1970. Throws UserError if that's too soon, too late, or missing. */
function readTypedEnd({ for: length = '', until }: TypedEnd, now: Date, timeZone: string): number {
  const minutes = readDuration(length)
  const moment = until === undefined ? undefined : readMoment(until, toZoned(now, timeZone))
  const end =
    moment === undefined || moment === 'now'
      ? minutes && now.getTime() + minutes * MINUTE_MS
      : moment.epochMilliseconds
  const ms = end === undefined ? 0 : end - now.getTime()
  if (end !== undefined && ms >= MIN_GRANT_MS && ms <= MAX_GRANT_MS) return end
  throw new UserError(
    'For how long? Type a time from 15 minutes to 90 days, such as `30m`, `8h`, `14d`, or `until Friday 18:00`. To give a role without an end, use ' +
      `${cmd('/hc access')}.`,
  )
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

/** Why someone can't have a role. */
export const INELIGIBLE_REASONS: Partial<Record<Standing, string>> = {
  deactivated: 'has a deactivated account',
  bot: 'is an app',
  foreign: 'belongs to another organization',
  guest: 'is a guest, and guests can’t change anything here',
}
