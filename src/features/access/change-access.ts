import { commandButton } from '../../blocks/command-buttons.ts'
import { actions, section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import { clip, literal, oneLine } from '../../blocks/text.ts'
import { OPEN_CHANNELS } from '../../bot/replies/sharing.ts'
import { AUDIT_KEPT_DAYS } from '../../bot/retention/audit-retention.ts'
import type { ActSteps } from '../../bot/routes/audited-acts.ts'
import type { CommandContext, Messaging, Requester } from '../../bot/routes/command-context.ts'
import { GIVEN_ROLES, type GivenRole, type Roles } from '../../domain/roles.ts'
import { UserError } from '../../errors.ts'
import type { SeenRights, Typed, TypedHolders } from './forms.ts'
import { type Holders, sameHolders, sameIds, subjectsOf } from './holders.ts'
import { type GivenRights, type RightsParts, readRights } from './rights.ts'
import { holdersLine, joined, linesBlock, type RightsLine, said } from './views/holder-lines.ts'

/** Saves the form, unless somebody else has changed the rights since or no admin would be left. */
export async function changeAccess(
  parts: RightsParts,
  context: CommandContext,
  typed: Typed,
  seen: SeenRights,
): Promise<Message> {
  const present = await context.keep('rights', () => readRights(parts, context.workspaceId))
  if (!same(present, seen))
    throw new UserError(
      'Somebody has changed who may do what since this window was opened. That was not overwritten. Open it as it is now and do it there.',
      [{ label: 'Open it as it is now', line: '/hc access' }],
    )
  const wanted = await wantedOf(context, typed, present)
  refuseLockOut(wanted.roles.admin, await context.roles())
  const lines = [
    ...(await changeRoles(parts, context, present, wanted)),
    ...(await changeSettings(parts, context, present, wanted)),
  ]
  return changedView(lines)
}

const same = (left: GivenRights, right: GivenRights): boolean =>
  GIVEN_ROLES.every((role) => sameHolders(left.roles[role], right.roles[role])) &&
  sameIds(left.openChannels, right.openChannels) &&
  left.keptDays === right.keptDays

async function wantedOf(
  context: Messaging,
  { roles, openChannels, keptDays }: Typed,
  present: GivenRights,
): Promise<GivenRights> {
  const holders = async (role: GivenRole): Promise<Holders> => ({
    people: roles[role].people ?? present.roles[role].people,
    everyone: roles[role].everyone,
    groups: await groupIds(context, roles[role].groups, present.roles[role].groups),
  })
  return {
    roles: {
      operator: await holders('operator'),
      approver: await holders('approver'),
      admin: await holders('admin'),
    },
    ends: present.ends,
    openChannels,
    keptDays,
  }
}

/** Handles as ids. Throws UserError naming those that Slack does not know. */
async function groupIds(
  context: Messaging,
  typed: TypedHolders['groups'],
  present: readonly string[],
): Promise<readonly string[]> {
  if (!typed) return present
  if ('ids' in typed) return typed.ids
  const groups = await (await context.slack()).groups()
  const idOf = (handle: string): string | undefined => {
    const name = handle.replace(/^@/, '').toLowerCase()
    return [...groups, ...present.map((id) => ({ id, handle: id }))].find(
      (group) => group.handle.toLowerCase() === name || group.id.toLowerCase() === name,
    )?.id
  }
  const unknown = typed.handles.filter((handle) => !idOf(handle))
  if (unknown.length > 0)
    throw new UserError(
      `Slack knows no user group ${unknown
        .slice(0, 10)
        .map((handle) => clip(oneLine(handle), 80))
        .join(', ')}. Type handles as they are in Slack, such as @on-call.`,
    )
  return typed.handles.flatMap((handle) => idOf(handle) ?? [])
}

/** Slack's own admins and the installer can always come back; anybody else might be the last one who can. */
function refuseLockOut(admins: Holders, own: Roles): void {
  const why = own.get('admin')?.kind
  if (why === 'slack-admin' || why === 'installer') return
  if (admins.everyone || admins.people.length > 0) return
  throw new UserError(
    'This would take the role admin from everybody it was given to, yourself included. Leave at least one person in it, by name.',
  )
}

async function changeRoles(
  { grants }: RightsParts,
  context: Requester & ActSteps,
  present: GivenRights,
  wanted: GivenRights,
): Promise<RightsLine[]> {
  const changed = GIVEN_ROLES.filter((role) => !sameHolders(present.roles[role], wanted.roles[role]))
  const { workspaceId, userId, now } = context
  for (const role of changed) {
    const [before, after] = [present.roles[role], wanted.roles[role]]
    const subjects = { seen: subjectsOf(before), wanted: subjectsOf(after) }
    await context.change(
      { verb: '/hc access', object: `role ${role}`, before, after, isRepeatable: true },
      () => grants.change(workspaceId, role, subjects, userId, now),
    )
  }
  return changed.map((role) => joined(said(`${role}: `), holdersLine(wanted.roles[role])))
}

async function changeSettings(
  { settings }: RightsParts,
  context: Requester & ActSteps,
  present: GivenRights,
  wanted: GivenRights,
): Promise<RightsLine[]> {
  const { workspaceId } = context
  const lines: RightsLine[] = []
  if (!sameIds(present.openChannels, wanted.openChannels)) {
    const auditEvent = {
      verb: '/hc access',
      object: 'shared channels that may show threat events and orders',
      before: present.openChannels,
      after: wanted.openChannels,
      isRepeatable: true,
    }
    await context.change(auditEvent, () => settings.set(workspaceId, OPEN_CHANNELS, wanted.openChannels))
    const count = wanted.openChannels.length
    lines.push(
      said(`Shared channels that may show threat events and orders: ${count === 0 ? 'none' : count}`),
    )
  }
  if (present.keptDays !== wanted.keptDays) {
    const auditEvent = {
      verb: '/hc access',
      object: 'how long the audit log is kept',
      before: { days: present.keptDays || 'for ever' },
      after: { days: wanted.keptDays || 'for ever' },
      isRepeatable: true,
    }
    await context.change(auditEvent, () => settings.set(workspaceId, AUDIT_KEPT_DAYS, wanted.keptDays))
    lines.push(said(`The audit log is kept ${wanted.keptDays ? `for ${wanted.keptDays} days` : 'for ever'}`))
  }
  return lines
}

function changedView(lines: readonly RightsLine[]): Message {
  const buttons = actions(
    commandButton('Who may do what', '/hc access'),
    commandButton('Who did what', '/hc audit'),
  )
  if (lines.length === 0) {
    const nothing = 'Nothing to save: it is as it was.'
    return message(literal(nothing), section(nothing), buttons)
  }
  const saved = 'Saved. It counts from now on:'
  return message(
    [saved, ...lines.map(({ text }) => text)].join('\n'),
    section(saved),
    linesBlock(...lines),
    buttons,
  )
}
