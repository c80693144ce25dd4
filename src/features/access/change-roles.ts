import { DAY_MS, MINUTE_MS, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Access } from '../../bot/access/access.ts'
import { writeGrant } from '../../bot/audit/object-text.ts'
import type { ActSteps, Messaging, Requester, Rights } from '../../bot/routes/command-context.ts'
import type { Grants, SavedGrant } from '../../bot/workspaces/grants.ts'
import { parseDuration } from '../../domain/dates/duration.ts'
import { parseMoment } from '../../domain/dates/moment.ts'
import { toZoned } from '../../domain/dates/zoned.ts'
import { type GrantableRole, ROLE_DESCRIPTIONS, type Subject } from '../../domain/roles.ts'
import { findSubject, refuseIneligible } from './find-subject.ts'
import { auditedGrant, isAdminWithoutGrant, latestGrantEnd, writeSubject } from './rules/grants.ts'
import { askRevokeView, EVERYONE_NAME, givenView, revokedView } from './views.ts'

export interface AccessDeps {
  grants: Grants
  listAdmins: Access['listAdmins']
  /** Whether guests can use Signalman to look things up. */
  guestsCanView: boolean
}

type ChangeContext = Requester & ActSteps & Messaging & Rights

const MIN_GRANT_MS = 15 * MINUTE_MS
const MAX_GRANT_MS = 90 * DAY_MS

/** The end as typed: a duration, or a time after `until`. */
type TypedEnd = Readonly<Partial<Record<'for' | 'until', string | undefined>>>

/**
 * Gives a typed person, group, or everyone a role. It ends no later than the role of the person who gives it. A permanent role stays as
 * it is. Throws UserError if they can't have the role.
 */
export async function grantTyped(
  { grants }: Pick<AccessDeps, 'grants'>,
  context: ChangeContext,
  { who, role, end, isSure }: { who: string; role: GrantableRole; end: TypedEnd; isSure: boolean },
): Promise<Message> {
  const { timeZone = 'UTC' } = context.actor
  const endsAt = parseEnd(end, context.begunAt, timeZone)
  const subject = await context.once('who', async () => findSubject(await context.slack(), who))
  await refuseIneligible(context, subject)
  if (isWide(subject, role) && !isSure) throw askWide(subject, role, end)
  const maxEnd = latestGrantEnd(await context.roles(), context.now)
  const saved = await context.decide<SavedGrant>(
    {
      verb: '/hc grant',
      object: writeGrant({ role, subject }),
      before: (saved?: SavedGrant) =>
        saved?.previousEnd === undefined ? undefined : auditedGrant(role, subject, saved.previousEnd),
      after: (saved?: SavedGrant) => auditedGrant(role, subject, saved?.endsAt ?? null),
    },
    (decisions) =>
      grants.within(decisions).extend(role, subject, context.userId, context.now, { endsAt, maxEnd }),
  )
  return givenView(role, subject, saved, maxEnd)
}

/** Whether many people get a role: an admin can replace the token and everyone’s roles. */
const isWide = ({ kind }: Subject, role: GrantableRole): boolean =>
  kind === 'everyone' || (kind === 'group' && role === 'admin')

/** Asks before many people get a role. */
function askWide(subject: Subject, role: GrantableRole, { for: length, until }: TypedEnd): Question {
  const line = ['/hc grant', writeSubject(subject), role, length, until && `until ${until}`, '--yes']
  return new Question(
    `${subject.kind === 'everyone' ? EVERYONE_NAME : 'Everyone in this group'} could then ${ROLE_DESCRIPTIONS[role]}. Give them the ${role} role?`,
    [{ label: `Give the ${role} role`, line: line.filter(Boolean).join(' ') }],
  )
}

/** When a role ends; undefined if it has no end. Throws UserError if that's too soon or too late. */
function parseEnd({ for: length, until }: TypedEnd, now: Date, timeZone: string): Date | undefined {
  if (length === undefined && until === undefined) return undefined
  const minutes = parseDuration(length ?? '')
  const moment = until === undefined ? undefined : parseMoment(until, toZoned(now, timeZone))
  const end =
    moment === undefined || moment === 'now'
      ? minutes && now.getTime() + minutes * MINUTE_MS
      : moment.epochMilliseconds
  const ms = end === undefined ? 0 : end - now.getTime()
  if (end !== undefined && ms >= MIN_GRANT_MS && ms <= MAX_GRANT_MS) return new Date(end)
  throw new UserError(
    'For how long? Type a time from 15 minutes to 90 days, such as `30m`, `8h`, `14d`, or `until Friday 18:00`. Leave it out for a role without an end.',
  )
}

/**
 * Revokes the role of a typed person, group, or everyone, after asking. Throws UserError if no permanent admin would be left.
 */
export async function revokeTyped(
  { grants }: Pick<AccessDeps, 'grants'>,
  context: ChangeContext,
  { who, role, isSure }: { who: string; role: GrantableRole; isSure: boolean },
): Promise<Message> {
  const subject = await context.once('who', async () => findSubject(await context.slack(), who))
  const object = writeGrant({ role, subject })
  if (!isSure) {
    const given = await grants.list(context.workspaceId)
    // What isn't given is refused below.
    if (given.some((grant) => writeGrant(grant) === object)) return askRevokeView(role, subject)
  }
  const keepsPermanent = role === 'admin' && !isAdminWithoutGrant(await context.roles())
  await context.decide<string | null>(
    {
      verb: '/hc revoke',
      object,
      before: (end?: string | null) => auditedGrant(role, subject, end ?? null),
    },
    (decisions) =>
      grants.within(decisions).revoke(role, subject, {
        missingError: new UserError(NOT_GIVEN, [ROLES]),
        lastGrantError: keepsPermanent ? new UserError(LAST_ADMIN, [ROLES]) : undefined,
      }),
  )
  const left = await grants.list(context.workspaceId)
  const isEveryones = left.some((grant) => grant.role === role && grant.subject.kind === 'everyone')
  return revokedView(role, subject, isEveryones)
}

const ROLES = { label: 'Current roles', line: '/hc access' }

const NOT_GIVEN =
  'They weren’t given this role, so there was nothing to revoke. A role that comes from a user group or from everyone is revoked there.'

const LAST_ADMIN =
  'This would leave no permanent admin. Keep at least one person as admin by name and without an end date. A user group doesn’t count, because its members can change in Slack.'
