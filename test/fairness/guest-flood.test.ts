import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { makeFolder } from '../store/databases.ts'
import { startWorld } from '../world.ts'

const REQUESTS = 2000
const AT_ONCE = 20
/** What a guest may, what a guest may not, and what nobody may. */
const TYPED = [
  'create',
  'delete web',
  'grant @admin admin',
  'mute web 1h',
  'list',
  'show web',
  'frobnicate',
  'audit',
]
/** What a person may ask for at a stretch, and then each second (README, "A flood"). */
const STRETCH = 60
const PER_SECOND = 2

/** How many rows each table holds. */
function rowsIn(file: string): Map<string, number> {
  using database = new DatabaseSync(file, { readOnly: true })
  const count = (table: string) => Number(database.prepare(`select count(*) as n from "${table}"`).get()?.n)
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  return new Map(tables.map(({ name }) => [String(name), count(String(name))]))
}

it(`${REQUESTS} requests of a guest are slowed, cost few rows in all tables together, and nobody else notices`, async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'signalman.db')
  await using world = await startWorld({
    access: 'closed',
    budgets: {},
    checks: [{ name: 'web' }],
    environment: { DATABASE_URL: `sqlite:${file}` },
  })
  const { admin } = world.slack
  const guest = world.slack.user('U0GUEST001')
  await admin.command('/hc', 'help')
  const before = rowsIn(file)
  const since = performance.now()
  const answers: string[] = []
  const requests = Array.from({ length: REQUESTS }, (_, nth) => TYPED[nth % TYPED.length] ?? '').values()
  const ask = async () => {
    for (const text of requests) answers.push((await guest.command('/hc', text)).text)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  const admitted = STRETCH + PER_SECOND * Math.ceil((performance.now() - since) / 1000)
  const slowed = answers.filter((text) => text.includes('more than it does for one person'))
  expect(slowed.length).toBeGreaterThanOrEqual(REQUESTS - admitted)
  expect((await admin.command('/hc', 'whoami')).text).not.toContain('more than it does')
  const more = [...rowsIn(file)].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const)
  expect(more.filter(([, rows]) => rows > admitted)).toEqual([])
  // Rows of refusals, and what the process keeps of itself.
  expect(more.reduce((sum, [, rows]) => sum + rows, 0)).toBeLessThanOrEqual(admitted + 5)
})
