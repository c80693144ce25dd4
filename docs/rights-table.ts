import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAllowed } from '../src/bot/access/access.ts'
import type { Actor, Membership } from '../src/bot/access/actor.ts'
import type { Verb } from '../src/bot/routes/routes.ts'
import {
  GRANTABLE_ROLES,
  type GrantableRole,
  ROLE_DESCRIPTIONS,
  type Role,
  type Roles,
} from '../src/domain/roles.ts'
import { loadAppRoutes } from './app-routes.ts'

export const PAGE = join(import.meta.dirname, 'who-can-see-what.md')

const START = '<!-- rights: written by npm run generate -->'
const END = '<!-- /rights -->'

const HOLDERS: Readonly<Record<Role, string>> = {
  viewer: 'every member of the workspace; guests, if `GUESTS_CAN_VIEW` is set, only look',
  operator: 'people with this role in `/hc access`',
  approver: 'people with this role in `/hc access`',
  admin: 'Slack’s admins, the person who installed the app, and people with this role in `/hc access`',
}

interface Reader {
  actor: Actor
  roles: Roles
}

const createReader = (
  membership: Membership,
  canView: boolean,
  givenRoles: readonly GrantableRole[] = [],
): Reader => ({
  actor: {
    userId: 'U0',
    membership,
    canView,
    isFromThisWorkspace: membership !== 'foreign',
    isSlackAdmin: false,
  },
  roles: new Map(givenRoles.map((role) => [role, { kind: 'admin' }])),
})

/** The columns of the tables. */
export const READERS = {
  member: createReader('member', true),
  operator: createReader('member', true, ['operator']),
  approver: createReader('member', true, ['approver']),
  admin: createReader('member', true, GRANTABLE_ROLES),
  guest: createReader('guest', false),
  'guest, if allowed': createReader('guest', true),
  'another organization': createReader('foreign', false),
} as const satisfies Readonly<Record<string, Reader>>

/** Commands whose answer is a file. */
const EXPORTS = [
  '/hc export',
  '/hc preview-file',
  '/hc audit',
  '/threat export',
  '/threat screenshot',
  '/threat source',
  '/cert-order file',
]

/** Generates the tables from the same declarations and decision that authorize every request. */
export function generateRightsTables(verbs: readonly Verb[]): string {
  const unknownNames = EXPORTS.filter((name) => !verbs.some((verb) => verb.line === name))
  if (unknownNames.length > 0)
    throw new Error(`docs/rights-table.ts names commands that don’t exist: ${unknownNames}`)
  const typedVerbs = verbs.filter(({ hidden }) => !hidden)
  const exportVerbs = verbs.filter((verb) => EXPORTS.includes(verb.line))
  const otherVerbs = typedVerbs.filter((verb) => !exportVerbs.includes(verb))
  const buttonVerbs = verbs.filter((verb) => verb.hidden && !exportVerbs.includes(verb))
  return [
    '## Roles\n',
    formatRolesTable(),
    '\n## Exports and files\n',
    formatAccessTable('command', exportVerbs, verbs),
    '\n## View\n',
    formatAccessTable('command', otherVerbs.filter(isReadOnly), verbs),
    '\n## Change\n',
    formatAccessTable(
      'command',
      otherVerbs.filter((verb) => !isReadOnly(verb)),
      verbs,
    ),
    '\n## Buttons\n',
    'Buttons, menus, and flags run these commands. To see what each one does, go to [commands](commands.md#buttons).\n',
    formatAccessTable('command', buttonVerbs, verbs),
  ].join('\n')
}

const isReadOnly = ({ needs, mayChange }: Verb): boolean => needs === 'viewer' && !mayChange

const formatRolesTable = (): string =>
  [
    '| role | can | who has it |',
    '| --- | --- | --- |',
    // `Object.entries` loses the type of the keys.
    ...Object.entries(ROLE_DESCRIPTIONS).map(
      ([role, means]) => `| ${role} | ${means} | ${HOLDERS[role as Role]} |`,
    ),
  ].join('\n')

function formatAccessTable(heading: string, rows: readonly Verb[], verbs: readonly Verb[]): string {
  const formatCells = (verb: Verb) =>
    Object.values(READERS).map(({ actor, roles }) => (isAllowed(actor, roles, verb) ? 'yes' : 'no'))
  return [
    `| ${[heading, ...Object.keys(READERS)].join(' | ')} |`,
    `|${' --- |'.repeat(1 + Object.keys(READERS).length)}`,
    ...rows.map((verb) => `| \`${findTypedLine(verb, verbs)}\` | ${formatCells(verb).join(' | ')} |`),
  ].join('\n')
}

/** The line to type. If only a flag of another verb leads to a hidden verb, as in `/hc watches --export`, it's that line. */
export function findTypedLine(verb: Verb, verbs: readonly Verb[]): string {
  if (!verb.hidden) return verb.line
  for (const other of verbs) {
    if (
      other.command !== verb.command ||
      other.redirect?.({ words: [], flags: {}, lists: {}, values: {} }) === verb.verb
    )
      continue
    for (const flag of Object.keys(other.flags ?? {}))
      if (other.redirect?.({ words: [], flags: { [flag]: true }, lists: {}, values: {} }) === verb.verb)
        return `${other.line} --${flag}`
  }
  return verb.line
}

/** Replaces the tables between the two markers of the page. */
export function replaceTables(page: string, tables: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start)
    throw new Error(`docs/who-can-see-what.md lacks the markers ${START} and ${END}.`)
  return `${page.slice(0, start + START.length)}\n\n${tables}\n\n${page.slice(end)}`
}

if (import.meta.main) {
  const page = await readFile(PAGE, 'utf8')
  await writeFile(PAGE, replaceTables(page, generateRightsTables((await loadAppRoutes()).verbs)))
}
