import { AUDIT_KEPT_DAYS, type Decisions, type Setting } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { card, clip, commandButton, type Line, type Message, oneLine, type UserGroup } from '@signalman/slack'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { OPEN_CHANNELS } from '../../bot/posts/may-post.ts'
import type {
  ActSteps,
  CommandContext,
  DecidingSteps,
  Messaging,
  Requester,
} from '../../bot/routes/command-context.ts'
import { refuseIfOutdated, replaceSetting, type ShownSetting } from '../../bot/windows/window-states.ts'
import { cmd } from '../../domain/command-names.ts'
import { byRole, GIVEN_ROLES, type Roles } from '../../domain/roles.ts'
import { pluralize } from '../../domain/wording.ts'
import { refuseIneligible } from './grant-temporary-role.ts'
import { type RightsDeps, readRights } from './rights.ts'
import { type GivenRights, latestGrantEnd, listSubjects, sameHolders, sameIds } from './rules/rights.ts'
import type { TypedHolders, TypedRights } from './rules/typed-rights.ts'
import { holdersLine, joinAll, ownRoleEndsLine } from './views/rights.ts'

/** Saves the form, unless someone else has changed the rights since, or no admin would be left. */
export async function changeAccess(
  deps: RightsDeps,
  context: CommandContext,
  typed: TypedRights,
  seen: GivenRights,
): Promise<Message> {
  const present = await context.keep('rights', () => readRights(deps, context.workspaceId))
  refuseIfOutdated(seen, present, ACCESS_WINDOW)
  const wanted = await readTypedRights(context, typed, present)
  const own = await context.roles()
  const until = await context.keep(
    'until',
    async () => latestGrantEnd(own, context.now)?.toISOString() ?? null,
  )
  refuseLockOut({ present, wanted, until }, own)
  const added = GIVEN_ROLES.flatMap((role) =>
    wanted.roles[role].people.filter((id) => !present.roles[role].people.includes(id)),
  )
  await refuseIneligible(context, [...new Set(added)])
  const lines = [
    ...(await changeRoles(deps, context, { present, wanted, until }, own)),
    ...(await changeSettings(deps, context, present, wanted)),
  ]
  return changedView(lines)
}

const OPEN_CHANNELS_LABEL = 'Shared channels where threat events and orders are allowed'

const guestsLine = (canView: boolean): string => (canView ? 'Guests can look.' : 'Guests can’t see anything.')

const ACCESS_WINDOW = {
  line: '/hc access',
  shown: ({ roles, guestsMayLook, openChannels, keptDays }: GivenRights): ShownSetting[] => [
    ...GIVEN_ROLES.map((role): ShownSetting => {
      const { people, groups, everyone } = roles[role]
      const count = [
        people.length > 0 && pluralize(people.length, 'person', 'people'),
        groups.length > 0 && pluralize(groups.length, 'user group'),
      ]
      const value = [people.toSorted(), groups.toSorted(), everyone]
      return [`${role}: ${everyone ? 'everyone' : count.filter(Boolean).join(', ') || 'nobody'}.`, value]
    }),
    [guestsLine(guestsMayLook), guestsMayLook],
    [`${OPEN_CHANNELS_LABEL}: ${openChannels.length || 'none'}.`, openChannels.toSorted()],
    [`Audit log retention: ${keptDays ? `${keptDays} days` : 'unlimited'}.`, keptDays],
  ],
}

async function readTypedRights(
  context: Messaging,
  { roles, ...settings }: TypedRights,
  present: GivenRights,
): Promise<GivenRights> {
  const hasTypedHandles = GIVEN_ROLES.some((role) => roles[role].groups && 'handles' in roles[role].groups)
  const slackGroups = hasTypedHandles ? await (await context.slack()).groups() : []
  return {
    roles: byRole((role) => ({
      people: roles[role].people ?? present.roles[role].people,
      everyone: roles[role].everyone,
      groups: resolveGroupIds(slackGroups, roles[role].groups, present.roles[role].groups),
    })),
    ends: present.ends,
    ...settings,
  }
}

/** Resolves handles to IDs. Throws UserError naming those that Slack doesn't know. */
function resolveGroupIds(
  slackGroups: readonly Pick<UserGroup, 'id' | 'handle'>[],
  typed: TypedHolders['groups'],
  present: readonly string[],
): readonly string[] {
  if (!typed) return present
  if ('ids' in typed) return typed.ids
  const groups = [...slackGroups, ...present.map((id) => ({ id, handle: id }))]
  const findGroupId = (handle: string): string | undefined => {
    const name = handle.replace(/^@/, '').toLowerCase()
    return groups.find((group) => group.handle.toLowerCase() === name || group.id.toLowerCase() === name)?.id
  }
  const unknown = typed.handles
    .filter((handle) => !findGroupId(handle))
    .map((handle) => clip(oneLine(handle), 80))
  if (unknown.length > 0)
    throw new UserError(
      `Slack has no user group ${unknown.slice(0, 10).join(', ')}. Type the handle as in Slack, such as @on-call.`,
    )
  return typed.handles.flatMap((handle) => findGroupId(handle) ?? [])
}

interface RightsChange {
  present: GivenRights
  wanted: GivenRights
  /** The latest end of the roles that this change gives, ISO 8601; null if they are permanent. */
  until: string | null
}

/** Throws UserError if no permanent admin would be left, unless Slack or the installation makes this person an admin anyway. */
function refuseLockOut({ present, wanted, until }: RightsChange, own: Roles): void {
  if (isAdminRegardless(own)) return
  const before = present.roles.admin
  const { people, everyone } = wanted.roles.admin
  const temporaryAdmins = new Set(
    present.ends.flatMap(({ role, userId }) => (role === 'admin' ? [userId] : [])),
  )
  const permanentAdmins = before.people.filter((userId) => !temporaryAdmins.has(userId))
  const hasPermanentAdmin = people.some(
    (userId) => permanentAdmins.includes(userId) || (!until && !temporaryAdmins.has(userId)),
  )
  if (
    everyone ||
    hasPermanentAdmin ||
    (permanentAdmins.length === 0 && sameHolders(before, wanted.roles.admin))
  )
    return
  throw noAdminLeftError()
}

function isAdminRegardless(own: Roles): boolean {
  const reason = own.get('admin')?.kind
  return reason === 'slack-admin' || reason === 'installer'
}

const noAdminLeftError = (): UserError =>
  new UserError(
    'This would leave no permanent admin. Keep at least one person as admin by name and without an end date. A user group doesn’t count, because its members can change in Slack.',
  )

async function changeRoles(
  { grants }: RightsDeps,
  context: Requester & ActSteps & DecidingSteps,
  { present, wanted, until }: RightsChange,
  own: Roles,
): Promise<Line[]> {
  const changed = GIVEN_ROLES.filter((role) => !sameHolders(present.roles[role], wanted.roles[role]))
  const maxEnd = until === null ? undefined : new Date(until)
  const { userId, now } = context
  for (const role of changed) {
    const [before, after] = [present.roles[role], wanted.roles[role]]
    const subjects = { shown: listSubjects(before), requested: listSubjects(after) }
    const audited = { before, after: { ...after, ...(until && { addedUntil: until }) } }
    await saveAudited(context, `role ${role}`, audited, (decisions) =>
      grants.within(decisions).change(role, subjects, userId, now, {
        maxEnd,
        lastGrantError: role === 'admin' && !isAdminRegardless(own) ? noAdminLeftError() : undefined,
      }),
    )
  }
  const lines = changed.map((role) => joinAll(`${role}: `, holdersLine(wanted.roles[role])))
  return maxEnd && lines.length > 0 ? [...lines, ownRoleEndsLine(maxEnd)] : lines
}

const saveAudited = <T>(
  { decide }: DecidingSteps,
  object: string,
  audited: { before: unknown; after: unknown },
  step: (decisions: Decisions) => Promise<T>,
) => decide({ verb: '/hc access', object, ...audited }, step)

async function changeSettings(
  { settings, redrawHomes }: RightsDeps,
  context: Requester & ActSteps & DecidingSteps,
  present: GivenRights,
  wanted: GivenRights,
): Promise<Line[]> {
  const replace = <T>(decisions: Decisions, setting: Setting<T>, values: { before: T; newValue: T }) =>
    replaceSetting(settings, decisions, setting, { ...values, conflictMessage: conflictText() })
  const lines: Line[] = []
  if (present.guestsMayLook !== wanted.guestsMayLook) {
    const [before, after] = [present, wanted].map(({ guestsMayLook }) => ({ guestsMayLook }))
    await saveAudited(context, 'what guests can see', { before, after }, (decisions) =>
      replace(decisions, GUESTS_CAN_VIEW, { before: present.guestsMayLook, newValue: wanted.guestsMayLook }),
    )
    // A guest may have App Home open.
    await redrawHomes(context.workspaceId)
    lines.push(guestsLine(wanted.guestsMayLook))
  }
  if (!sameIds(present.openChannels, wanted.openChannels)) {
    const audited = { before: present.openChannels, after: wanted.openChannels }
    await saveAudited(
      context,
      'shared channels where threat events and orders are allowed',
      audited,
      (decisions) =>
        replace(decisions, OPEN_CHANNELS, { before: present.openChannels, newValue: wanted.openChannels }),
    )
    lines.push(`${OPEN_CHANNELS_LABEL}: ${wanted.openChannels.length || 'none'}`)
  }
  if (present.keptDays !== wanted.keptDays) {
    const [before, after] = [present, wanted].map(({ keptDays }) => ({ days: keptDays || 'unlimited' }))
    await saveAudited(context, 'how long the audit log is kept', { before, after }, (decisions) =>
      replace(decisions, AUDIT_KEPT_DAYS, { before: present.keptDays, newValue: wanted.keptDays }),
    )
    lines.push(`Audit log retention: ${wanted.keptDays ? `${wanted.keptDays} days` : 'unlimited'}`)
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
