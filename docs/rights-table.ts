import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Verb } from '../src/bot/routes/routes.ts'
import { ROLE_MEANS, type Role } from '../src/domain/roles.ts'
import { readShipped } from './shipped.ts'

export const PAGE = join(import.meta.dirname, 'use-access.md')

const START = '<!-- rights: written by npm run rights -->'
const END = '<!-- /rights -->'

const HOLDERS: Readonly<Record<Role, string>> = {
  viewer: 'every member and guest of the workspace',
  operator: 'people with this role in `/hc access`',
  approver: 'people with this role in `/hc access`',
  admin: 'Slack’s admins, the person who installed the app, and people with this role in `/hc access`',
}

/** The table of roles, from the same declarations that drive authorization and the help. */
export function rightsTable(verbs: readonly Verb[]): string {
  const rows = Object.entries(ROLE_MEANS).map(([role, means]) => {
    // `Object.entries` loses the type of the keys.
    const own = verbs.filter(({ needs }) => needs === role)
    const typed = own.filter(({ hidden }) => !hidden).map(nameOf)
    const pressed = own.filter(({ hidden }) => hidden).map(nameOf)
    return `| ${role} | ${means} | ${HOLDERS[role as Role]} | ${typed.join(', ')} | ${pressed.join(', ') || '–'} |`
  })
  return [
    '| role | can | who has it | commands | buttons |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const nameOf = ({ command, verb, changesSomething, isPersonal }: Verb): string =>
  `\`/${command}${verb && ` ${verb}`}\`${changesSomething || isPersonal ? ' (not guests)' : ''}`

/** The page with the table between its two marks. */
export function withTable(page: string, table: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error(`docs/use-access.md lacks the marks ${START} and ${END}.`)
  return `${page.slice(0, start + START.length)}\n${table}\n${page.slice(end)}`
}

if (import.meta.main) {
  const page = await readFile(PAGE, 'utf8')
  await writeFile(PAGE, withTable(page, rightsTable((await readShipped()).verbs)))
}
