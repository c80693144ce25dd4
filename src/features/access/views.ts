import {
  card,
  clip,
  commandButton,
  commandMenu,
  group,
  joinLines,
  type Line,
  lines,
  lineText,
  type Message,
  oneLine,
  person,
  textElement,
} from '@signalman/slack'
import type { Actor } from '../../bot/access/actor.ts'
import { writeGrant } from '../../bot/audit/object-text.ts'
import { describePage, neighborPages, pageButtons } from '../../bot/views/list-page.ts'
import type { SavedGrant } from '../../bot/workspaces/grants.ts'
import { cmd } from '../../domain/command-names.ts'
import {
  GRANTABLE_ROLES,
  type Grant,
  type GrantableRole,
  ROLE_DESCRIPTIONS,
  type RoleReason,
  type Roles,
  type Subject,
} from '../../domain/roles.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'
import { latestGrantEnd, writeSubject } from './rules/grants.ts'

export const GRANTS_PER_PAGE = 25

/** A grant, and what Slack says about who has it. */
export interface GrantRow {
  grant: Grant
  /** Their name for people; their ID if Slack doesn't return it. */
  name: string
  /** Why the role may have no effect, such as `has a deactivated account, so this role has no effect`. */
  problem?: string | undefined
}

interface AccessScreen {
  /** The grants of this page. */
  rows: readonly GrantRow[]
  page: number
  pages: number
  /** All grants, on all pages. */
  total: number
  guestsCanView: boolean
  admins: readonly string[]
  actor: Actor
  ownRoles: Roles
  now: Date
}

/** Says what the person can do, why, and who can change it, and lists who has which role. Admins can revoke roles there. */
export function accessView(screen: AccessScreen): Message {
  const { rows, page, pages, total, actor, ownRoles, now } = screen
  // Only a member can use a role.
  const isAdmin = actor.membership === 'member' && ownRoles.has('admin')
  const ownEnd = isAdmin ? latestGrantEnd(ownRoles, now) : undefined
  const reasons = actor.membership === 'guest' ? [] : listReasons(ownRoles)
  const count = total === 0 ? 'No roles given' : `${pluralize(total, 'role')} given`
  return card({
    headline: `${describePermissions(actor, ownRoles)}.`,
    notes: [
      ...reasons
        .filter(({ reason }) => !rows.some(({ grant }) => isBecauseOf(reason, grant)))
        .map(reasonLine),
      isAdmin ? giveLine() : askLine(screen.admins),
      ownEnd ? ownRoleEndsLine(ownEnd) : '',
      [count, describePage(page, pages)].filter(Boolean).join(' · '),
    ].filter((line) => line !== ''),
    body: rows.length > 0 ? [lines(...grantLines(rows, reasons))] : [],
    controls: [
      ...(isAdmin ? adminControls(rows) : listAskable(actor, ownRoles)),
      ...pageButtons(neighborPages(screen, (to) => `/hc access --page ${to}`)),
    ],
    smallPrint: explainRoles(screen),
  })
}

/** Describes someone's permissions in one sentence. */
function describePermissions({ membership }: Actor, ownRoles: Roles): string {
  if (membership === 'guest') return 'As a guest, you can look but not change anything'
  if (membership === 'unknown') return 'Slack isn’t responding, so for now you can only look'
  if (ownRoles.has('admin')) return 'You can do everything here'
  const heldRoles = GRANTABLE_ROLES.filter((role) => ownRoles.has(role))
  return heldRoles.length > 0
    ? `You have the ${heldRoles.join(' and ')} ${heldRoles.length === 1 ? 'role' : 'roles'}`
    : `You have no role, but you can ${ROLE_DESCRIPTIONS.viewer}`
}

interface OwnRole {
  readonly role: GrantableRole
  readonly reason: RoleReason
}

/** Why someone has their roles. An admin has the others because of that. */
const listReasons = (ownRoles: Roles): OwnRole[] =>
  (ownRoles.has('admin') ? (['admin'] as const) : GRANTABLE_ROLES).flatMap((role) => {
    const reason = ownRoles.get(role)
    return reason ? [{ role, reason }] : []
  })

/** Whether a row of the list is the reason, so that nothing else needs to say it. */
const isBecauseOf = (reason: RoleReason, grant: Grant): boolean =>
  reason.kind === 'given' && writeGrant(reason.grant) === writeGrant(grant)

const reasonLine = ({ role, reason }: OwnRole): Line => [`${role}: `, describeReason(reason), '.']

function describeReason(reason: RoleReason): Line {
  if (reason.kind === 'slack-admin') return 'Slack says that you are an admin of this workspace'
  if (reason.kind === 'installer') return 'you installed Signalman here'
  if (reason.kind === 'admin') return 'admins can do everything'
  const { subject, grantedBy, grantedAt, endsAt } = reason.grant
  const recipients = { user: 'you', group: 'a user group that you are in', everyone: 'everyone here' }
  const given = [personLine(grantedBy), ` gave it to ${recipients[subject.kind]} `, grantedAt]
  return endsAt ? [given, ', until ', endsAt] : given
}

const listAskable = ({ membership }: Actor, ownRoles: Roles) =>
  GRANTABLE_ROLES.filter((role) => membership === 'member' && !ownRoles.has(role)).map((role) =>
    commandButton(`Ask for the ${role} role`, `/hc role-ask ${role}`),
  )

const adminControls = (rows: readonly GrantRow[]) => [
  ...(rows.length > 0
    ? [
        commandMenu(
          'Revoke…',
          rows.map(({ grant, name }) => ({
            label: `Revoke ${clip(oneLine(name), 50)} · ${grant.role}`,
            value: `/hc revoke ${writeSubject(grant.subject)} ${grant.role}`,
          })),
          { inPlace: false },
        ),
      ]
    : []),
  commandButton('Audit log', '/hc audit'),
]

const giveLine = (): Line => [
  'To give a role to @person, @group, or everyone, type this. Without 8h, the role doesn’t expire.\n',
  textElement(cmd('/hc grant @person operator 8h'), { code: true }),
]

const askLine = (admins: readonly string[]): Line =>
  admins.length > 0
    ? ['To change this, ask ', namesLine(admins.map(personLine)), '.']
    : 'To change this, ask an admin of this workspace.'

/** The grants, one a line. Those of one person or group follow each other, and share a line if only the role differs. */
function grantLines(rows: readonly GrantRow[], reasons: readonly OwnRole[]): Line[] {
  const format = (row: GrantRow, roles: string): Line =>
    reasons.some(({ reason }) => isBecauseOf(reason, row.grant))
      ? ownGrantLine(row, roles)
      : grantLine(row, roles)
  return [...Map.groupBy(rows, ({ grant }) => writeSubject(grant.subject)).values()].flatMap((same) =>
    [...Map.groupBy(same, (row) => lineText(format(row, ''))).values()].flatMap((alike) => {
      const roles = alike.map(({ grant }) => grant.role).join(' and ')
      return alike.slice(0, 1).map((row) => format(row, roles))
    }),
  )
}

/** `@Ann · operator · until today at 4:00 PM`. */
const grantLine = (
  {
    grant: { subject, endsAt },
    problem,
  }: Omit<GrantRow, 'grant' | 'name'> & { grant: Pick<Grant, 'subject' | 'endsAt'> },
  roles: string,
): Line => [
  subjectLine(subject),
  ` · ${roles}`,
  ...(endsAt ? [[' · until ', endsAt]] : []),
  problem ? ` · ⚠️ ${problem}` : '',
]

/** The row that gives the reader their role: `@on-call · operator · includes you · given by @Ann Mar 1, 2026`. */
const ownGrantLine = (row: GrantRow, roles: string): Line => [
  grantLine(row, roles),
  row.grant.subject.kind === 'user' ? '' : ' · includes you',
  ' · given by ',
  personLine(row.grant.grantedBy),
  ' ',
  row.grant.grantedAt,
]

const subjectLine = ({ kind, id }: Subject): Line => {
  if (kind === 'everyone') return EVERYONE_NAME
  return kind === 'group' ? group(id) : personLine(id)
}

export const EVERYONE_NAME = 'Everyone in this workspace except guests'

/** What each role allows, and who has it without being listed. */
const explainRoles = ({ guestsCanView }: AccessScreen): Line[] => [
  [
    `operator: ${ROLE_DESCRIPTIONS.operator}.`,
    `approver: ${ROLE_DESCRIPTIONS.approver}.`,
    'admin: everything. Slack’s admins and whoever installed Signalman are admins, too.',
    `Every member can ${ROLE_DESCRIPTIONS.viewer}.${guestsCanView ? ' Guests can only look.' : ''}`,
  ].join('\n'),
]

const CONTROLS = [commandButton('Roles', '/hc access'), commandButton('Audit log', '/hc audit')]

/** Confirms who has the role now, and until when. `ownEnd`: when the role of the person who gave it ends. */
export function givenView(
  role: GrantableRole,
  subject: Subject,
  saved: SavedGrant,
  ownEnd: Date | undefined,
): Message {
  const endsAt = saved.endsAt === undefined ? undefined : new Date(saved.endsAt)
  const previousEnd = saved.previousEnd ? new Date(saved.previousEnd) : undefined
  const isShorter = endsAt !== undefined && previousEnd !== undefined && endsAt < previousEnd
  const notes: Line[] = [
    isShorter ? ['This is shorter than before. It lasted until ', previousEnd, '.'] : '',
    saved.previousEnd === null ? 'It was permanent already, so nothing was changed.' : '',
    ownEnd && endsAt?.getTime() === ownEnd.getTime() ? ownRoleEndsLine(ownEnd) : '',
  ]
  return card({
    headline: [
      saved.previousEnd === null ? 'Not changed: ' : 'Saved: ',
      subjectLine(subject),
      ` has the ${role} role`,
      ...(endsAt ? [[' until ', endsAt]] : []),
      '.',
    ],
    notes: notes.filter((line) => line !== ''),
    controls: CONTROLS,
  })
}

/** Asks whose role to revoke, and says what they could then no longer do. */
export const askRevokeView = (role: GrantableRole, subject: Subject): Message =>
  card({
    headline: [`Revoke the ${role} role of `, subjectLine(subject), '?'],
    notes: [
      `They could then no longer ${ROLE_DESCRIPTIONS[role]}, unless they have the role in another way.`,
    ],
    controls: [
      commandButton(`Revoke the ${role} role`, `/hc revoke ${writeSubject(subject)} ${role} --yes`, {
        inPlace: true,
      }),
    ],
  })

/** Confirms who lost the role. `isEveryones`: whether everyone in the workspace has it. */
export const revokedView = (role: GrantableRole, subject: Subject, isEveryones: boolean): Message =>
  card({
    headline: [`Revoked: the ${role} role of `, subjectLine(subject), '.'],
    notes: isEveryones ? [`${EVERYONE_NAME} still has this role.`] : [],
    controls: CONTROLS,
  })

/** The most people or groups to name in a line. */
const MAX_NAMED = 30

/** Shows anything that isn't a user ID as text, because Slack would reject the whole message. */
const personLine = (userId: string): Line => (/^[UW][A-Z0-9]+$/.test(userId) ? person(userId) : userId)

/** Lists the first names, and how many more there are. */
function namesLine(names: readonly Line[]): Line {
  const hiddenCount = names.length - MAX_NAMED
  return joinLines(
    hiddenCount > 0 ? [...names.slice(0, MAX_NAMED), `and ${formatCount(hiddenCount)} more`] : names,
  )
}

/** A note for people whose own role is temporary. */
const ownRoleEndsLine = (until: Date): Line => [
  'Your own admin role ends ',
  until,
  '. Roles that you give end no later than that.',
]
