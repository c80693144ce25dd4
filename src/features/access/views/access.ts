import {
  card,
  clip,
  commandButton,
  commandMenu,
  group,
  type Line,
  lines,
  type Message,
  oneLine,
} from '@signalman/slack'
import type { Button, StaticSelect } from '@slack/types'
import type { Actor } from '../../../bot/access/actor.ts'
import { describePage, neighborPages, pageButtons } from '../../../bot/views/list-page.ts'
import {
  GRANTABLE_ROLES,
  type Grant,
  type GrantableRole,
  ROLE_DESCRIPTIONS,
  type Roles,
  type Subject,
} from '../../../domain/roles.ts'
import { pluralize } from '../../../domain/wording.ts'
import { grantVersion, latestGrantEnd } from '../rules/grants.ts'
import { describePermissions, joinAll, namesLine, ownRoleEndsLine, personLine } from './rights.ts'

/** Grants on one page. */
export const GRANTS_PER_PAGE = 25

/** A grant, and what Slack says about who has it. */
export interface GrantRow {
  grant: Grant
  /** Their name for people; their ID if Slack doesn't return it. */
  name: string
  /** Why the role may have no effect, such as `has a deactivated account, so this role has no effect`. */
  problem?: string | undefined
}

export interface AccessScreen {
  /** The grants of this page. */
  rows: readonly GrantRow[]
  page: number
  pages: number
  /** All grants, on all pages. */
  total: number
  /** The roles that nobody was given. */
  ungiven: readonly GrantableRole[]
  guestsCanView: boolean
  admins: readonly string[]
  actor: Actor
  ownRoles: Roles
  now: Date
}

/** Shows who has which role. Admins can change and end each of them, and give new ones. */
export function accessView(screen: AccessScreen): Message {
  const { rows, page, pages, total, actor, ownRoles, now } = screen
  const isAdmin = ownRoles.has('admin')
  const ownEnd = isAdmin ? latestGrantEnd(ownRoles, now) : undefined
  return card({
    headline: [
      total === 0 ? 'No roles given' : `${pluralize(total, 'role')} given`,
      describePage(page, pages),
    ]
      .filter(Boolean)
      .join(' · '),
    notes: [
      ...(isAdmin ? [] : [`${describePermissions(actor, ownRoles)}.`, askLine(screen.admins)]),
      ...(ownEnd ? [ownRoleEndsLine(ownEnd)] : []),
    ],
    body: [
      ...[...Map.groupBy(rows, ({ grant }) => grant.role).values()].map((group) =>
        lines(...group.map(grantLine)),
      ),
    ],
    controls: isAdmin ? adminControls(screen) : memberControls(screen),
    // Further pages have Previous and Next instead.
    moreControls: isAdmin && page === 1 ? ADMIN_BUTTONS : [],
    smallPrint: explainRoles(screen),
  })
}

const adminControls = ({ rows, ...pages }: AccessScreen) => [
  commandButton('Add', '/hc access-add'),
  ...rowMenu('Change…', rows, (row) => ({ label: 'Change', line: `/hc access-change ${row}` })),
  ...rowMenu('End…', rows, (row) => ({ label: 'End', line: `/hc access-end ${row}` })),
  ...turnButtons(pages),
]

const memberControls = (pages: AccessScreen) => [
  ...turnButtons(pages),
  commandButton('What can I do?', '/hc whoami'),
]

const turnButtons = (pages: Pick<AccessScreen, 'page' | 'pages'>): Button[] =>
  pageButtons(neighborPages(pages, (to) => `/hc access --page ${to}`))

const ADMIN_BUTTONS = [
  commandButton('Add a group', '/hc access-add --group'),
  commandButton('Settings', '/hc access-settings'),
  // The order policy has its own window, because it contains more than who approves.
  commandButton('Order settings', '/cert-order settings'),
]

/** A menu with the grants of this page. */
function rowMenu(
  placeholder: string,
  rows: readonly GrantRow[],
  createCommand: (version: string) => { label: string; line: string },
): StaticSelect[] {
  const choices = rows.map(({ grant, name }) => {
    const { label, line } = createCommand(grantVersion(grant))
    return { label: `${label} ${clip(oneLine(name), 50)} · ${grant.role}`, value: line }
  })
  return choices.length > 0 ? [commandMenu(placeholder, choices, { inPlace: false })] : []
}

const askLine = (admins: readonly string[]): Line =>
  admins.length > 0
    ? joinAll('To change this, ask ', namesLine(admins.map(personLine)), '.')
    : 'To change this, ask an admin of this workspace.'

/** `@Ann · operator · until today 4:00 PM`. */
export const grantLine = ({
  grant: { subject, role, endsAt },
  problem,
}: {
  grant: Pick<Grant, 'subject' | 'role' | 'endsAt'>
  problem?: string | undefined
}): Line =>
  joinAll(
    subjectLine(subject),
    ` · ${role}`,
    ...(endsAt ? [joinAll(' · until ', endsAt)] : []),
    problem ? ` · ⚠️ ${problem}` : '',
  )

export const subjectLine = ({ kind, id }: Subject): Line => {
  if (kind === 'everyone') return EVERYONE_NAME
  return kind === 'group' ? group(id) : personLine(id)
}

export const EVERYONE_NAME = 'Everyone in this workspace except guests'

/** What each role allows, and who has it without being listed. */
const explainRoles = ({ ungiven, guestsCanView }: AccessScreen): Line[] => [
  [
    `viewer: can ${ROLE_DESCRIPTIONS.viewer}; every member${guestsCanView ? ' and guest' : ''} of this workspace.`,
    ...GRANTABLE_ROLES.map(
      (role) =>
        `${role}: can ${ROLE_DESCRIPTIONS[role]}${ungiven.includes(role) ? '; given to no one' : ''}.`,
    ),
    'Slack’s admins of this workspace and the person who installed Signalman are admins here, too. Admins can do everything.',
  ].join('\n'),
]
