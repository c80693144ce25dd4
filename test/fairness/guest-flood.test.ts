import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { commandBody, signRequest } from '../slack/signed.ts'
import { SIGNING_SECRET, startWorld, WORKSPACE } from '../world.ts'

const REQUESTS = 500
const CONCURRENCY = 20
/** Commands that a guest may run, that a guest may not run, and that nobody may run. */
const COMMANDS = [
  'create',
  'delete web',
  'grant @admin admin',
  'mute web 1h',
  'list',
  'show web',
  'frobnicate',
  'audit',
]
/** How many requests a person may send at once, and how many per second after that (docs/operate.md). */
const BURST = 60
const PER_SECOND = 2

function countRowsByTable(file: string): Map<string, number> {
  using database = new DatabaseSync(file, { readOnly: true })
  const count = (table: string) => Number(database.prepare(`select count(*) as n from "${table}"`).get()?.n)
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  return new Map(tables.map(({ name }) => [String(name), count(String(name))]))
}

it(`rate limits ${REQUESTS} requests by a guest, with few database rows and no effect on other users`, async () => {
  await using sqlite = await startSqliteFile()
  await using world = await startWorld({
    access: 'closed',
    guests: 'can-view',
    budgets: {},
    checks: [{ name: 'web' }],
    environment: { DATABASE_URL: sqlite.url },
  })
  const { admin } = world.slack
  /** Sends a command like Slack would. If the app refuses it, the acknowledgement says so. */
  async function sendCommand(text: string, nth: number): Promise<string> {
    const body = commandBody({ text, team_id: WORKSPACE, user_id: 'U0GUEST001', trigger_id: `1.2.${nth}` })
    const answer = await fetch(`${world.app.url}/slack/events`, {
      method: 'POST',
      ...signRequest(SIGNING_SECRET, body),
    })
    return answer.text()
  }
  await admin.command('/hc', 'help')
  const before = countRowsByTable(sqlite.file)
  const startedAt = performance.now()
  const answers: string[] = []
  const typed = Array.from({ length: REQUESTS }, (_, nth) => COMMANDS[nth % COMMANDS.length] ?? '').entries()
  const sendRemaining = async () => {
    for (const [nth, text] of typed) answers.push(await sendCommand(text, nth))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, sendRemaining))
  const admitted = BURST + PER_SECOND * Math.ceil((performance.now() - startedAt) / 1000)
  const limited = answers.filter((text) => text.includes('more requests than it handles for one person'))
  expect(limited.length).toBeGreaterThanOrEqual(REQUESTS - admitted)
  expect(limited.at(-1)).toMatch(
    /so nothing was started\. Try again in (?:a second|\d+ seconds?)\. \(Reference \S+\)/,
  )
  expect((await admin.command('/hc', 'access')).text).not.toContain('more requests than it handles')
  await expect.poll(() => countRowsByTable(sqlite.file).get('audit_entry')).toBeGreaterThan(20)
  const addedRows = [...countRowsByTable(sqlite.file)].map(
    ([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const,
  )
  expect(addedRows.filter(([, rows]) => rows > admitted)).toEqual([])
  // Each accepted request adds the row of its refusal. For an act, it also adds the work and its step, which are swept later. The
  // remaining rows are the audit chain and a key.
  expect(addedRows.reduce((sum, [, rows]) => sum + rows, 0)).toBeLessThanOrEqual(3 * admitted + 5)
})
