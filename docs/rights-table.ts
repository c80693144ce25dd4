import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService } from '../src/api/service.ts'
import { createQueue } from '../src/bot/jobs/job-queue.ts'
import type { Verb } from '../src/bot/routes/routes.ts'
import { ROLE_MEANS, type Role } from '../src/domain/roles.ts'
import { createCertOrders } from '../src/features/cert-orders/create-cert-orders.ts'
import { shippedRoutes } from '../src/shipped-routes.ts'
import { openStore } from '../src/store/store.ts'

export const README = join(import.meta.dirname, '../README.md')

const START = '<!-- rights: written by npm run rights -->'
const END = '<!-- /rights -->'

const HOLDERS: Readonly<Record<Role, string>> = {
  viewer: 'every member and guest of the workspace',
  operator: 'whoever `/hc access` gives it to',
  approver: 'whoever `/hc access` gives it to',
  admin: 'Slack’s own admins, whoever installed it, whoever `/hc access` gives it to',
}

/** The README’s table of rights, from the table that help and checks come from as well. */
export function rightsTable(verbs: readonly Verb[]): string {
  const rows = Object.entries(ROLE_MEANS).map(([role, means]) => {
    // `Object.entries` forgets that these are the keys of the roles.
    const own = verbs.filter(({ needs }) => needs === role)
    const typed = own.filter(({ hidden }) => !hidden).map(nameOf)
    const pressed = own.filter(({ hidden }) => hidden).map(nameOf)
    return `| ${role} | ${means} | ${HOLDERS[role as Role]} | ${typed.join(', ')} | ${pressed.join(', ') || '–'} |`
  })
  return [
    '| role | may | who has it | typed | behind buttons |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const nameOf = ({ command, verb, writes }: Verb): string =>
  `\`/${command}${verb && ` ${verb}`}\`${writes ? ' (not guests)' : ''}`

/** The README with the table between its two marks. */
export function withTable(readme: string, table: string): string {
  const start = readme.indexOf(START)
  const end = readme.indexOf(END)
  if (start === -1 || end < start) throw new Error(`README.md lacks the marks ${START} and ${END}.`)
  return `${readme.slice(0, start + START.length)}\n${table}\n${readme.slice(end)}`
}

/** Every verb that is shipped; nothing is asked of service or store. */
export async function shippedVerbs(): Promise<readonly Verb[]> {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const baseUrls = { production: 'http://api.invalid', ote: 'http://ote.invalid' }
  await using service = createService({ baseUrls })
  const parts = {
    connections: store.connections,
    service,
    configured: {},
    hasOte: true,
    baseUrls,
    prefix: '',
  }
  const adminsOf = async () => []
  const orders = createCertOrders({ ...UNSENT, store, now: () => new Date() }).routes
  const queue = createQueue(store.work, () => undefined)
  return shippedRoutes({ ...parts, pageSize: undefined, queue, store, adminsOf, orders }).verbs
}

const unsent = () => Promise.reject(new Error('Nothing is told while a table is made.'))
const UNSENT = {
  messenger: { post: unsent, direct: unsent, edit: unsent },
  mayPost: unsent,
  findHolders: unsent,
  nameOf: unsent,
  apiOf: unsent,
  mayApprove: unsent,
  engine: () => undefined,
  createReference: () => '',
  report: () => undefined,
}

if (import.meta.main) {
  const readme = await readFile(README, 'utf8')
  await writeFile(README, withTable(readme, rightsTable(await shippedVerbs())))
}
