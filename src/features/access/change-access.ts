import { AUDIT_RETENTION_DAYS, type Decisions, type OlderRows, type Setting } from '@signalman/durable'
import { DAY_MS, HOUR_MS, Question, UserError } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  type Line,
  type Message,
  oneLine,
  type UserGroup,
  utc,
} from '@signalman/slack'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import { ButtonTooOld } from '../../bot/request/buttons.ts'
import type {
  ActSteps,
  CommandContext,
  DecidingSteps,
  Messaging,
  Requester,
} from '../../bot/routes/command-context.ts'
import { refuseIfOutdated, replaceSetting, type ShownSetting } from '../../bot/windows/window-states.ts'
import { cmd } from '../../domain/command-names.ts'
import { byRole, GRANTABLE_ROLES, type Roles } from '../../domain/roles.ts'
import { pluralize } from '../../domain/wording.ts'
import { type AccessDeps, readAccessSettings } from './access-settings.ts'
import { refuseIneligible } from './grant-temporary-role.ts'
import {
  type AccessSettings,
  latestGrantEnd,
  listSubjects,
  sameHolders,
  sameIds,
} from './rules/access-settings.ts'
import type { AccessFormValues, RoleFormValues } from './rules/form-values.ts'
import { holdersLine, joinAll, ownRoleEndsLine } from './views/rights.ts'

/** Audit entries that are older than the retention period that an admin chose. */
type OlderEntries = Pick<OlderRows, 'rows' | 'last'>

/** A submitted form, stored until the admin confirms that older audit entries are deleted. */
interface StoredChange {
  formValues: AccessFormValues
  shown: AccessSettings
  older: OlderEntries
}

/** Saves a form after the admin confirmed that audit entries are deleted. */
export async function saveConfirmed(
  deps: AccessDeps,
  context: CommandContext,
  stateId: string,
): Promise<Message> {
  // Only `askAboutOlderEntries` stores these, so the type is known.
  const stored = (await deps.ephemeralState.find(context.workspaceId, stateId, context.now)) as
    | StoredChange
    | undefined
  if (!stored) throw new ButtonTooOld({ unknown: 'what was chosen' })
  return changeAccess(deps, context, stored.formValues, stored.shown, stored.older)
}

/**
 * Saves the form. Throws UserError if someone else changed the settings after it was opened, or if no admin would be left. Throws
 * Question if the retention period would delete audit entries, unless the admin agreed to delete them.
 */
export async function changeAccess(
  deps: AccessDeps,
  context: CommandContext,
  formValues: AccessFormValues,
  shown: AccessSettings,
  agreedToDelete?: OlderEntries,
): Promise<Message> {
  const current = await context.remember('settings', () => readAccessSettings(deps, context.workspaceId))
  refuseIfOutdated(shown, current, ACCESS_WINDOW)
  const requested = await toRequestedSettings(context, formValues, current)
  const ownRoles = await context.roles()
  const latestEnd = await context.remember(
    'latest end',
    async () => latestGrantEnd(ownRoles, context.now)?.toISOString() ?? null,
  )
  refuseLockOut({ current, requested, latestEnd }, ownRoles)
  const addedPeople = GRANTABLE_ROLES.flatMap((role) =>
    requested.roles[role].people.filter((id) => !current.roles[role].people.includes(id)),
  )
  await refuseIneligible(context, [...new Set(addedPeople)])
  const { auditRetentionDays: days } = requested
  if (
    !agreedToDelete &&
    days > 0 &&
    (current.auditRetentionDays === 0 || days < current.auditRetentionDays)
  ) {
    const older = await context.remember('older entries', () => countOlderEntries(deps, context, days))
    if (older.rows > 0)
      throw await createDeletionQuestion(deps, context, { formValues, shown, older }, days, older.now)
  }
  const lines = [
    ...(await changeRoles(deps, context, { current, requested, latestEnd }, ownRoles)),
    ...(await changeSettings(deps, context, current, requested)),
  ]
  if (agreedToDelete) {
    await deps.deleteUpTo(context.workspaceId, agreedToDelete.last)
    lines.push(
      `${pluralize(agreedToDelete.rows, 'older audit entry', 'older audit entries')}: being deleted now.`,
    )
  }
  return changedView(lines)
}

/** `now` is the time according to the database, in milliseconds. */
async function countOlderEntries({ audit }: AccessDeps, { workspaceId }: Requester, days: number) {
  const { rows, last, now } = await audit.findOlderThan(workspaceId, days)
  return { rows, last, now: now.getTime() }
}

async function createDeletionQuestion(
  { ephemeralState }: AccessDeps,
  { workspaceId, now }: CommandContext,
  body: StoredChange,
  days: number,
  databaseNow: number,
): Promise<Question> {
  const expiresAt = new Date(now.getTime() + HOUR_MS)
  const stateId = await ephemeralState.save({ workspaceId, body, expiresAt })
  const entries = pluralize(body.older.rows, 'audit entry', 'audit entries')
  return new Question(
    `Keeping the audit log for ${days} days permanently deletes ${entries} from before ${utc(new Date(databaseNow - days * DAY_MS))}. Nothing was saved yet. To keep a copy, export them first with ${cmd('/hc audit')} --export.`,
    [{ label: `Save and delete ${entries}`, line: `/hc access-confirm ${stateId}`, replaces: true }],
  )
}

const SHARED_CHANNELS_LABEL = 'Shared channels where threat events and orders are allowed'

const guestsLine = (canView: boolean): string => (canView ? 'Guests can view.' : 'Guests can’t see anything.')

const ACCESS_WINDOW = {
  line: '/hc access',
  toSettings: ({
    roles,
    guestsCanView,
    allowedSharedChannels,
    auditRetentionDays,
  }: AccessSettings): ShownSetting[] => [
    ...GRANTABLE_ROLES.map((role): ShownSetting => {
      const { people, groups, everyone } = roles[role]
      const count = [
        people.length > 0 && pluralize(people.length, 'person', 'people'),
        groups.length > 0 && pluralize(groups.length, 'user group'),
      ]
      const value = [people.toSorted(), groups.toSorted(), everyone]
      return [`${role}: ${everyone ? 'everyone' : count.filter(Boolean).join(', ') || 'nobody'}.`, value]
    }),
    [guestsLine(guestsCanView), guestsCanView],
    [
      `${SHARED_CHANNELS_LABEL}: ${allowedSharedChannels.length || 'none'}.`,
      allowedSharedChannels.toSorted(),
    ],
    [
      `Audit log retention: ${auditRetentionDays ? `${auditRetentionDays} days` : 'unlimited'}.`,
      auditRetentionDays,
    ],
  ],
}

async function toRequestedSettings(
  context: Messaging,
  { roles, ...settings }: AccessFormValues,
  current: AccessSettings,
): Promise<AccessSettings> {
  const hasTypedHandles = GRANTABLE_ROLES.some(
    (role) => roles[role].groups && 'handles' in roles[role].groups,
  )
  const slackGroups = hasTypedHandles ? await (await context.slack()).groups() : []
  return {
    roles: byRole((role) => ({
      people: roles[role].people ?? current.roles[role].people,
      everyone: roles[role].everyone,
      groups: resolveGroupIds(slackGroups, roles[role].groups, current.roles[role].groups),
    })),
    temporaryRoles: current.temporaryRoles,
    ...settings,
  }
}

/** Resolves typed handles to user group IDs. Throws UserError that names unknown handles. */
function resolveGroupIds(
  slackGroups: readonly Pick<UserGroup, 'id' | 'handle'>[],
  typed: RoleFormValues['groups'],
  current: readonly string[],
): readonly string[] {
  if (!typed) return current
  if ('ids' in typed) return typed.ids
  const groups = [...slackGroups, ...current.map((id) => ({ id, handle: id }))]
  const findGroupId = (handle: string): string | undefined => {
    const name = handle.replace(/^@/, '').toLowerCase()
    return groups.find((group) => group.handle.toLowerCase() === name || group.id.toLowerCase() === name)?.id
  }
  const unknownHandles = typed.handles
    .filter((handle) => !findGroupId(handle))
    .map((handle) => clip(oneLine(handle), 80))
  if (unknownHandles.length > 0)
    throw new UserError(
      `Slack has no user group ${unknownHandles.slice(0, 10).join(', ')}. Type the handle as in Slack, such as @on-call.`,
    )
  return typed.handles.flatMap((handle) => findGroupId(handle) ?? [])
}

interface AccessChange {
  current: AccessSettings
  requested: AccessSettings
  /** When the roles given by this change end at the latest, ISO 8601. Null if they are permanent. */
  latestEnd: string | null
}

/** Throws UserError if no permanent admin would be left, unless the person saving is an admin even without a grant. */
function refuseLockOut({ current, requested, latestEnd }: AccessChange, ownRoles: Roles): void {
  if (isAdminWithoutGrant(ownRoles)) return
  const before = current.roles.admin
  const { people, everyone } = requested.roles.admin
  const temporaryAdmins = new Set(
    current.temporaryRoles.flatMap(({ role, userId }) => (role === 'admin' ? [userId] : [])),
  )
  const permanentAdmins = before.people.filter((userId) => !temporaryAdmins.has(userId))
  // Someone added as admin gets a permanent role only if the person saving is a permanent admin.
  const hasPermanentAdmin = people.some(
    (userId) => permanentAdmins.includes(userId) || (!latestEnd && !temporaryAdmins.has(userId)),
  )
  // If there was no permanent admin before either, changes that don't affect admins can still be saved.
  const hadNone = permanentAdmins.length === 0
  if (everyone || hasPermanentAdmin || (hadNone && sameHolders(before, requested.roles.admin))) return
  throw noAdminLeftError()
}

function isAdminWithoutGrant(ownRoles: Roles): boolean {
  const reason = ownRoles.get('admin')?.kind
  return reason === 'slack-admin' || reason === 'installer'
}

const noAdminLeftError = (): UserError =>
  new UserError(
    'This would leave no permanent admin. Keep at least one person as admin by name and without an end date. A user group doesn’t count, because its members can change in Slack.',
  )

async function changeRoles(
  { grants }: AccessDeps,
  context: Requester & ActSteps & DecidingSteps,
  { current, requested, latestEnd }: AccessChange,
  ownRoles: Roles,
): Promise<Line[]> {
  const changedRoles = GRANTABLE_ROLES.filter(
    (role) => !sameHolders(current.roles[role], requested.roles[role]),
  )
  const maxEnd = latestEnd === null ? undefined : new Date(latestEnd)
  const { userId, now } = context
  for (const role of changedRoles) {
    const [before, after] = [current.roles[role], requested.roles[role]]
    const subjects = { shown: listSubjects(before), requested: listSubjects(after) }
    const audited = { before, after: { ...after, ...(latestEnd && { addedUntil: latestEnd }) } }
    await saveAudited(context, `role ${role}`, audited, (decisions) =>
      grants.within(decisions).change(role, subjects, userId, now, {
        maxEnd,
        lastGrantError: role === 'admin' && !isAdminWithoutGrant(ownRoles) ? noAdminLeftError() : undefined,
      }),
    )
  }
  const lines = changedRoles.map((role) => joinAll(`${role}: `, holdersLine(requested.roles[role])))
  return maxEnd && lines.length > 0 ? [...lines, ownRoleEndsLine(maxEnd)] : lines
}

const saveAudited = <T>(
  { decide }: DecidingSteps,
  object: string,
  audited: { before: unknown; after: unknown },
  step: (decisions: Decisions) => Promise<T>,
) => decide({ verb: '/hc access', object, ...audited }, step)

async function changeSettings(
  { settings, redrawHomes }: AccessDeps,
  context: Requester & ActSteps & DecidingSteps,
  current: AccessSettings,
  requested: AccessSettings,
): Promise<Line[]> {
  const replace = <T>(decisions: Decisions, setting: Setting<T>, values: { before: T; newValue: T }) =>
    replaceSetting(settings, decisions, setting, { ...values, conflictMessage: conflictText() })
  const lines: Line[] = []
  if (current.guestsCanView !== requested.guestsCanView) {
    const [before, after] = [current, requested].map(({ guestsCanView }) => ({ guestsCanView }))
    await saveAudited(context, 'what guests can see', { before, after }, (decisions) =>
      replace(decisions, GUESTS_CAN_VIEW, {
        before: current.guestsCanView,
        newValue: requested.guestsCanView,
      }),
    )
    // Guests who have App Home open see the change right away.
    await redrawHomes(context.workspaceId)
    lines.push(guestsLine(requested.guestsCanView))
  }
  if (!sameIds(current.allowedSharedChannels, requested.allowedSharedChannels)) {
    const audited = { before: current.allowedSharedChannels, after: requested.allowedSharedChannels }
    await saveAudited(
      context,
      'shared channels where threat events and orders are allowed',
      audited,
      (decisions) =>
        replace(decisions, ALLOWED_SHARED_CHANNELS, {
          before: current.allowedSharedChannels,
          newValue: requested.allowedSharedChannels,
        }),
    )
    lines.push(`${SHARED_CHANNELS_LABEL}: ${requested.allowedSharedChannels.length || 'none'}`)
  }
  if (current.auditRetentionDays !== requested.auditRetentionDays) {
    const [before, after] = [current, requested].map(({ auditRetentionDays }) => ({
      days: auditRetentionDays || 'unlimited',
    }))
    await saveAudited(context, 'how long the audit log is kept', { before, after }, (decisions) =>
      replace(decisions, AUDIT_RETENTION_DAYS, {
        before: current.auditRetentionDays,
        newValue: requested.auditRetentionDays,
      }),
    )
    lines.push(
      `Audit log retention: ${requested.auditRetentionDays ? `${requested.auditRetentionDays} days` : 'unlimited'}`,
    )
  }
  return lines
}

const conflictText = (): string =>
  `Someone else saved a change at the same time, so yours wasn’t saved. Open ${cmd('/hc access')} again.`

const changedView = (lines: readonly Line[]): Message =>
  card({
    headline:
      lines.length === 0 ? 'Nothing changed, so there was nothing to save.' : 'Saved. In effect from now on:',
    notes: lines,
    controls: [commandButton('Roles', '/hc access'), commandButton('Audit log', '/hc audit')],
  })
