import { type SuggestedCommand, UserError } from '@signalman/runtime'
import { card, commandButton, type Line, type Message } from '@signalman/slack'
import type {
  ActSteps,
  DecidingSteps,
  Messaging,
  Requester,
  Rights,
} from '../../bot/routes/command-context.ts'
import type { SavedGrant } from '../../bot/workspaces/grants.ts'
import type { GrantableRole } from '../../domain/roles.ts'
import type { AccessDeps } from './access-settings.ts'
import {
  auditedSubject,
  grantName,
  grantVersion,
  isAdminWithoutGrant,
  latestGrantEnd,
  readEnd,
  SAME_END,
  type ShownGrant,
  toShownGrant,
} from './rules/grants.ts'
import { grantLine, subjectLine } from './views/access.ts'
import { joinAll, ownRoleEndsLine } from './views/rights.ts'

/** What a window about a role asks. `end` is one of the choices of **Until**. */
export interface RoleAnswers {
  role: GrantableRole
  end: string
}

type ChangeContext = Requester & ActSteps & DecidingSteps & Messaging & Rights

/** Finds the grant with this version. Throws UserError if someone has changed or ended it, or if it has expired. */
export async function findGrant(
  { grants }: Pick<AccessDeps, 'grants'>,
  workspaceId: string,
  version: string,
): Promise<ShownGrant> {
  const grant = (await grants.list(workspaceId)).find((grant) => grantVersion(grant) === version)
  if (!grant) throw createOutdatedError()
  return toShownGrant(grant)
}

/**
 * Changes a role or when it ends. Throws UserError if the grant isn't as the window showed it, or if no permanent admin would be
 * left.
 */
export async function changeRole(
  deps: Pick<AccessDeps, 'grants'>,
  context: ChangeContext,
  { role, end }: RoleAnswers,
  shown: ShownGrant,
): Promise<Message> {
  const chosenEnd = readEnd(end, context.begunAt)
  if (chosenEnd === null) throw new UserError('Choose until when they should have the role.')
  const shownEnd = shown.endsAt === null ? undefined : new Date(shown.endsAt)
  const requestedEnd = chosenEnd === SAME_END ? shownEnd : chosenEnd
  const isSame = role === shown.role && requestedEnd?.getTime() === shownEnd?.getTime()
  if (isSame) return savedView('Nothing changed, so there was nothing to save.')
  const ownEnd = latestGrantEnd(await context.roles(), context.now)
  const keepsEnd = role === shown.role && chosenEnd === SAME_END
  const endsAt = keepsEnd ? requestedEnd : earlierEnd(requestedEnd, ownEnd)
  const saved = await replaceGrant(deps, context, {
    verb: '/hc access-change',
    shown,
    next: { role, endsAt },
  })
  const now = {
    subject: shown.subject,
    role,
    endsAt: saved.endsAt === undefined ? undefined : new Date(saved.endsAt),
  }
  const wasShortened = ownEnd !== undefined && now.endsAt?.getTime() === ownEnd.getTime()
  // They had the other role already, and it isn't shortened.
  const keptEnd = now.endsAt?.getTime() !== endsAt?.getTime()
  return savedView(joinAll('Saved: ', grantLine({ grant: now })), [
    ...(keptEnd ? [keptEndLine(now)] : []),
    ...(wasShortened ? [ownRoleEndsLine(ownEnd)] : []),
  ])
}

/** Ends a role. Throws UserError if the grant isn't as the window showed it, or if no permanent admin would be left. */
export async function endRole(
  deps: Pick<AccessDeps, 'grants'>,
  context: ChangeContext,
  shown: ShownGrant,
): Promise<Message> {
  await replaceGrant(deps, context, { verb: '/hc access-end', shown, next: undefined })
  return savedView(joinAll('Ended: ', subjectLine(shown.subject), ` · ${shown.role}`))
}

/** Replaces a grant by another one, or ends it. */
async function replaceGrant(
  { grants }: Pick<AccessDeps, 'grants'>,
  context: ChangeContext,
  change: {
    verb: string
    shown: ShownGrant
    next: { role: GrantableRole; endsAt: Date | undefined } | undefined
  },
): Promise<SavedGrant> {
  const { verb, shown, next } = change
  const { role, subject, endsAt } = shown
  const isSafe = role !== 'admin' || isAdminWithoutGrant(await context.roles())
  const errors = {
    outdatedError: createOutdatedError(),
    lastGrantError: isSafe ? undefined : createLastAdminError(),
  }
  return context.decide<SavedGrant>(
    {
      verb,
      object: grantName(shown),
      before: (saved?: SavedGrant) => ({
        role,
        ...auditedSubject(subject),
        until: endsAt,
        // They had the other role, too, and its end may have changed.
        ...(next && saved?.previousEnd !== undefined && { [`${next.role}Until`]: saved.previousEnd }),
      }),
      ...(next && {
        after: (saved?: SavedGrant) => ({
          role: next.role,
          ...auditedSubject(subject),
          until: saved?.endsAt ?? null,
        }),
      }),
    },
    (decisions) => grants.within(decisions).replace(shown, next, context.userId, context.now, errors),
  )
}

const earlierEnd = (end: Date | undefined, ownEnd: Date | undefined): Date | undefined =>
  end && ownEnd ? new Date(Math.min(end.getTime(), ownEnd.getTime())) : (end ?? ownEnd)

const ROLES: SuggestedCommand = { label: 'Current roles', line: '/hc access' }

const createOutdatedError = (): UserError =>
  new UserError(
    'This role was changed or has ended since you opened the list, so Signalman changed nothing.',
    [ROLES],
  )

const createLastAdminError = (): UserError =>
  new UserError(
    'This would leave no permanent admin. Keep at least one person as admin by name and without an end date. A user group doesn’t count, because its members can change in Slack.',
    [ROLES],
  )

const keptEndLine = ({ role, endsAt }: { role: GrantableRole; endsAt: Date | undefined }): string =>
  `They already had the ${role} role ${endsAt ? 'for longer' : 'permanently'}, so its end wasn’t changed.`

const savedView = (headline: Line, notes: readonly Line[] = []): Message =>
  card({
    headline,
    notes: [...notes],
    controls: [commandButton('Roles', '/hc access'), commandButton('Audit log', '/hc audit')],
  })
