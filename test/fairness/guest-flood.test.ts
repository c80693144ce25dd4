import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { commandBody, signed } from '../slack/signed.ts'
import { SIGNING_SECRET, startWorld, WORKSPACE } from '../world.ts'

const REQUESTS = 2000
const AT_ONCE = 20
/** Three times the number of refusals that get their own row. */
const REFUSED = 60
/** Commands that a guest may run, that a guest may not run, and that nobody may run. */
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
/** A person's burst, and the rate per second after it (docs/limits.md). */
const STRETCH = 60
const PER_SECOND = 2

/** The number of rows in each table. */
function rowsIn(file: string): Map<string, number> {
  using database = new DatabaseSync(file, { readOnly: true })
  const count = (table: string) => Number(database.prepare(`select count(*) as n from "${table}"`).get()?.n)
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  return new Map(tables.map(({ name }) => [String(name), count(String(name))]))
}

it(`rate limits ${REQUESTS} requests of a guest, with few rows in all tables together and no effect on others`, async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'signalman.db')
  await using world = await startWorld({
    access: 'closed',
    guests: 'look',
    budgets: {},
    checks: [{ name: 'web' }],
    environment: { DATABASE_URL: `sqlite:${file}` },
  })
  const { admin } = world.slack
  /** Sent like Slack would; a refusal is in the acknowledgement. */
  async function ask(text: string, nth: number): Promise<string> {
    const body = commandBody({ text, team_id: WORKSPACE, user_id: 'U0GUEST001', trigger_id: `1.2.${nth}` })
    const answer = await fetch(`${world.app.url}/slack/events`, {
      method: 'POST',
      ...signed(SIGNING_SECRET, body),
    })
    return answer.text()
  }
  await admin.command('/hc', 'help')
  const before = rowsIn(file)
  const since = performance.now()
  const answers: string[] = []
  const typed = Array.from({ length: REQUESTS }, (_, nth) => TYPED[nth % TYPED.length] ?? '').entries()
  const askOn = async () => {
    for (const [nth, text] of typed) answers.push(await ask(text, nth))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOn))
  const admitted = STRETCH + PER_SECOND * Math.ceil((performance.now() - since) / 1000)
  const slowed = answers.filter((text) => text.includes('more requests than it handles for one person'))
  expect(slowed.length).toBeGreaterThanOrEqual(REQUESTS - admitted)
  expect((await admin.command('/hc', 'whoami')).text).not.toContain('more requests than it handles')
  await expect.poll(() => rowsIn(file).get('audit_entry')).toBeGreaterThan(20)
  const more = [...rowsIn(file)].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const)
  expect(more.filter(([, rows]) => rows > admitted)).toEqual([])
  // The rows of each accepted request: its refusal and, for an act, the work and its step, which are swept. The others are the
  // chain and a key.
  expect(more.reduce((sum, [, rows]) => sum + rows, 0)).toBeLessThanOrEqual(3 * admitted + 5)
})

it('writes 20 rows, and then one a minute, for a guest whose commands are all refused', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'signalman.db')
  await using world = await startWorld({ environment: { DATABASE_URL: `sqlite:${file}` } })
  const guest = world.slack.user('U0GUEST001')
  const lines = [
    ['/hc', 'create'],
    ['/threat', 'queue'],
  ] as const
  const since = performance.now()
  for (const [command, verb] of lines)
    for (let nth = 0; nth < REFUSED; nth += 1) await guest.command(command, verb)
  using database = new DatabaseSync(file, { readOnly: true, timeout: 20_000 })
  const rowsOf = (verb: string) =>
    Number(
      database
        .prepare("select count(*) as n from audit_entry where verb = ? and outcome = 'refused'")
        .get(verb)?.n,
    )
  const minutes = Math.ceil((performance.now() - since) / 60_000)
  for (const [command, verb] of lines) {
    await expect.poll(() => rowsOf(`${command} ${verb}`)).toBeGreaterThanOrEqual(20)
    expect(rowsOf(`${command} ${verb}`)).toBeLessThanOrEqual(20 + 2 * minutes)
  }
})
