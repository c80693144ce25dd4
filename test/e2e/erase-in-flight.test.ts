import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { MODEL } from '../../src/app/model.ts'
import { erasePersonVerb, eraseWorkspaceVerb } from '../../src/cli/erase.ts'
import { NO_WAIT } from '../acts/act-kind.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'
import { eitherOf } from '../long.ts'
import { startWorld, WORKSPACE, type World } from '../world.ts'

const COUNT = 12

const readMetrics = async ({ app }: World) => (await fetch(`${app.url}/metrics`)).text()

/** What waits for the service while the workspace is erased, and would store something afterwards. */
const WAITING = [
  'token-generate',
  'watch web-*',
  'mute web-1 2h',
  'list',
  'edit web-* --frequency 45',
  'export',
]

/** The tables with rows of the workspace, and everything that the database contains. */
async function readDatabase(url: string): Promise<{ tables: string[]; text: string }> {
  await using database = await openDatabase(url)
  const tables: string[] = []
  let text = ''
  for (const { name, owner } of MODEL.tables) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(database.rows)
    text += JSON.stringify(rows)
    if (owner === undefined) continue
    const { rows: own } = await sql`
      select 1 from ${sql.table(name)} where ${sql.raw(owner)} = ${WORKSPACE}`.execute(database.rows)
    if (own.length > 0) tables.push(name)
  }
  return { tables, text }
}

describe.each(eitherOf(SHARED_DATABASES))('erasing on $name', ({ start }) => {
  async function startOn() {
    await using stack = new AsyncDisposableStack()
    const { url, keys } = stack.use(await start())
    const environment = { DATABASE_URL: url, ENCRYPTION_KEYS: keys }
    const checks = Array.from({ length: COUNT }, (_, index) => ({
      name: `web-${index}`,
      target: 'w.example.com',
    }))
    const world = stack.use(await startWorld({ checks, environment }))
    const moved = stack.move()
    return {
      world,
      url,
      erase: (userId: string) => erasePersonVerb.run([WORKSPACE, userId, '--yes'], environment),
      eraseWorkspace: () => eraseWorkspaceVerb.run([WORKSPACE, '--yes'], environment),
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    }
  }

  it('a workspace leaves no row of what waits for the service, in any table, and later requests work', async () => {
    await using started = await startOn()
    const { world, eraseWorkspace, url } = started
    const { admin } = world.slack
    await world.service.faults({ path: '/', kind: 'hold' })
    // What Slack sends later belongs to the new workspace.
    await Promise.all(WAITING.map((line) => admin.command('/hc', line, NO_WAIT)))
    await expect.poll(async () => (await world.service.requests()).length).toBeGreaterThan(4)
    expect(await eraseWorkspace()).toBe(0)
    await world.service.faults()
    await expect.poll(() => readMetrics(world)).toMatch(/^signalman_requests_running 0$/m)
    const { tables, text } = await readDatabase(url)
    expect(tables).toEqual(['audit_entry'])
    expect(text).not.toContain(admin.id)
    await admin.command('/hc', 'watch web-1', { until: 'now watches' })
  })

  it('a workspace sends nothing for it to the service anymore', async () => {
    await using started = await startOn()
    const { world, eraseWorkspace } = started
    const { admin, member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 45', { until: 'This would change' })
    await admin.command('/hc', 'edit web-1')
    // Both read what they change, and then wait.
    await world.service.faults({ method: 'GET', path: '/healthcheck', kind: 'hold' })
    await world.service.clearRequests()
    await member.click(preview.message, `Change ${COUNT}`, { until: 'Started' })
    const saving = admin.submit({ Port: '8443' }).catch(() => undefined)
    await expect.poll(async () => (await world.service.requests('GET')).length).toBeGreaterThan(5)
    expect(await eraseWorkspace()).toBe(0)
    await world.service.faults()
    await saving
    await expect.poll(() => readMetrics(world)).toMatch(/^signalman_requests_running 0$/m)
    const sent = (await world.service.requests()).filter(({ method }) => method !== 'GET')
    expect(sent).toEqual([])
  })
})
