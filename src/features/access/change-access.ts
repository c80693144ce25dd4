import { AUDIT_KEPT_DAYS, type Decisions, type Setting } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { card, clip, commandButton, type Line, type Message, oneLine, type UserGroup } from '@signalman/slack'
import { GUESTS_MAY_LOOK } from '../../bot/access/access.ts'
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
import { counted } from '../../domain/wording.ts'
import { refuseUseless } from './grant-for.ts'
import { type RightsParts, readRights } from './rights.ts'
import { type GivenRights, givesUntil, listSubjects, sameHolders, sameIds } from './rules/rights.ts'
import type { TypedHolders, TypedRights } from './rules/typed-rights.ts'
import { endsWith, holdersLine, run } from './views/rights.ts'

/** Saves the form, unless someone else has changed the rights since, or no admin would be left. */
export async function changeAccess(
  parts: RightsParts,
  context: CommandContext,
  typed: TypedRights,
  seen: GivenRights,
): Promise<Message> {
  const present = await context.keep('rights', () => readRights(parts, context.workspaceId))
  refuseIfOutdated(seen, present, WINDOW)
  const wanted = await readTypedRights(context, typed, present)
  const own = await context.roles()
  const until = await context.keep('until', async () => givesUntil(own, context.now)?.toISOString() ?? null)
  refuseLockOut({ present, wanted, until }, own)
  const added = GIVEN_ROLES.flatMap((role) =>
    wanted.roles[role].people.filter((id) => !present.roles[role].people.includes(id)),
  )
  await refuseUseless(context, [...new Set(added)])
  const lines = [
    ...(await changeRoles(parts, context, { present, wanted, until }, own)),
    ...(await changeSettings(parts, context, present, wanted)),
  ]
  return changedView(lines)
}

const OPEN_CHANNELS_TEXT = 'Shared channels where threat events and orders are allowed'

const guestsLine = (mayLook: boolean): string => (mayLook ? 'Guests can look.' : 'Guests can’t see anything.')

const WINDOW = {
  line: '/hc access',
  shown: ({ roles, guestsMayLook, openChannels, keptDays }: GivenRights): ShownSetting[] => [
    ...GIVEN_ROLES.map((role): ShownSetting => {
      const { people, groups, everyone } = roles[role]
      const count = [
        people.length > 0 && counted(people.length, 'person', 'people'),
        groups.length > 0 && counted(groups.length, 'user group'),
      ]
      const is = [people.toSorted(), groups.toSorted(), everyone]
      return [`${role}: ${everyone ? 'everyone' : count.filter(Boolean).join(', ') || 'nobody'}.`, is]
    }),
    [guestsLine(guestsMayLook), guestsMayLook],
    [`${OPEN_CHANNELS_TEXT}: ${openChannels.length || 'none'}.`, openChannels.toSorted()],
    [`Audit log retention: ${keptDays ? `${keptDays} days` : 'unlimited'}.`, keptDays],
  ],
}

async function readTypedRights(
  context: Messaging,
  { roles, ...settings }: TypedRights,
  present: GivenRights,
): Promise<GivenRights> {
  const isTyped = GIVEN_ROLES.some((role) => roles[role].groups && 'handles' in roles[role].groups)
  const known = isTyped ? await (await context.slack()).groups() : []
  return {
    roles: byRole((role) => ({
      people: roles[role].people ?? present.roles[role].people,
      everyone: roles[role].everyone,
      groups: groupIds(known, roles[role].groups, present.roles[role].groups),
    })),
    ends: present.ends,
    ...settings,
  }
}

/** Resolves handles to IDs. Throws UserError naming those that Slack doesn't know. */
function groupIds(
  known: readonly Pick<UserGroup, 'id' | 'handle'>[],
  typed: TypedHolders['groups'],
  present: readonly string[],
): readonly string[] {
  if (!typed) return present
  if ('ids' in typed) return typed.ids
  const groups = [...known, ...present.map((id) => ({ id, handle: id }))]
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

/** People added here have the role until this time at most. */
interface RightsChange {
  present: GivenRights
  wanted: GivenRights
  until: string | null
}

/** Slack's own admins and the installer can always come back; anyone else might be the last admin. */
function refuseLockOut({ present, wanted, until }: RightsChange, own: Roles): void {
  if (isTemporary(own)) return
  const before = present.roles.admin
  const { people, everyone } = wanted.roles.admin
  const forTime = new Set(present.ends.flatMap(({ role, userId }) => (role === 'admin' ? [userId] : [])))
  const lasting = before.people.filter((userId) => !forTime.has(userId))
  const isLeft = people.some((userId) => lasting.includes(userId) || (!until && !forTime.has(userId)))
  if (everyone || isLeft || (lasting.length === 0 && sameHolders(before, wanted.roles.admin))) return
  throw noAdminLeft()
}

function isTemporary(own: Roles): boolean {
  const why = own.get('admin')?.kind
  return why === 'slack-admin' || why === 'installer'
}

const noAdminLeft = (): UserError =>
  new UserError(
    'This would leave no permanent admin. Keep at least one person as admin by name and without an end date. A user group doesn’t count, because its members can change in Slack.',
  )

async function changeRoles(
  { grants }: RightsParts,
  context: Requester & ActSteps & DecidingSteps,
  { present, wanted, until }: RightsChange,
  own: Roles,
): Promise<Line[]> {
  const changed = GIVEN_ROLES.filter((role) => !sameHolders(present.roles[role], wanted.roles[role]))
  const atMost = until === null ? undefined : new Date(until)
  const { userId, now } = context
  for (const role of changed) {
    const [before, after] = [present.roles[role], wanted.roles[role]]
    const subjects = { seen: listSubjects(before), wanted: listSubjects(after) }
    const told = { before, after: { ...after, ...(until && { addedUntil: until }) } }
    await save(context, `role ${role}`, told, (decisions) =>
      grants.within(decisions).change(role, subjects, userId, now, {
        atMost,
        noneLeft: role === 'admin' && !isTemporary(own) ? noAdminLeft() : undefined,
      }),
    )
  }
  const lines = changed.map((role) => run(`${role}: `, holdersLine(wanted.roles[role])))
  return atMost && lines.length > 0 ? [...lines, endsWith(atMost)] : lines
}

const save = <T>(
  { decide }: DecidingSteps,
  object: string,
  told: { before: unknown; after: unknown },
  step: (decisions: Decisions) => Promise<T>,
) => decide({ verb: '/hc access', object, ...told }, step)

async function changeSettings(
  { settings, redrawHomes }: RightsParts,
  context: Requester & ActSteps & DecidingSteps,
  present: GivenRights,
  wanted: GivenRights,
): Promise<Line[]> {
  const over = <T>(decisions: Decisions, setting: Setting<T>, values: { before: T; wanted: T }) =>
    replaceSetting(settings, decisions, setting, { ...values, changed: changedWords() })
  const lines: Line[] = []
  if (present.guestsMayLook !== wanted.guestsMayLook) {
    const [before, after] = [present, wanted].map(({ guestsMayLook }) => ({ guestsMayLook }))
    await save(context, 'what guests can see', { before, after }, (decisions) =>
      over(decisions, GUESTS_MAY_LOOK, { before: present.guestsMayLook, wanted: wanted.guestsMayLook }),
    )
    // A guest may have App Home open.
    await redrawHomes(context.workspaceId)
    lines.push(guestsLine(wanted.guestsMayLook))
  }
  if (!sameIds(present.openChannels, wanted.openChannels)) {
    const told = { before: present.openChannels, after: wanted.openChannels }
    await save(context, 'shared channels where threat events and orders are allowed', told, (decisions) =>
      over(decisions, OPEN_CHANNELS, { before: present.openChannels, wanted: wanted.openChannels }),
    )
    lines.push(`${OPEN_CHANNELS_TEXT}: ${wanted.openChannels.length || 'none'}`)
  }
  if (present.keptDays !== wanted.keptDays) {
    const [before, after] = [present, wanted].map(({ keptDays }) => ({ days: keptDays || 'unlimited' }))
    await save(context, 'how long the audit log is kept', { before, after }, (decisions) =>
      over(decisions, AUDIT_KEPT_DAYS, { before: present.keptDays, wanted: wanted.keptDays }),
    )
    lines.push(`Audit log retention: ${wanted.keptDays ? `${wanted.keptDays} days` : 'unlimited'}`)
  }
  return lines
}

const changedWords = (): string =>
  `Someone else saved a change at the same time, so yours wasn’t saved. Open ${cmd('/hc access')} again.`

const changedView = (lines: readonly Line[]): Message =>
  card({
    answer:
      lines.length === 0 ? 'Nothing changed, so there was nothing to save.' : 'Saved. In effect from now on:',
    notes: lines,
    controls: [commandButton('Roles', '/hc access'), commandButton('Audit log', '/hc audit')],
  })
