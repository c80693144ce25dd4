import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'
import { startKillableApp } from '../killed-app.ts'

const CHECKS = quickOrLong('BULK_CHECKS', { quick: 40, long: 5000 })
const KILLS = quickOrLong('BULK_KILLS', { quick: 1, long: 5 })
const SEED = readSeed()

type KillableApp = Awaited<ReturnType<typeof startKillableApp>>

/** The fields of every check as JSON, by UUID. */
async function readFields({ service }: KillableApp): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const row of await service.listAllChecks()) {
    const { uuid, name, protocol, target, port, frequency, customer_id, http_server_address, verify_ssl } =
      row
    const rest = [name, protocol, target, port, frequency, customer_id, http_server_address, verify_ssl]
    found.set(String(uuid), JSON.stringify(rest))
  }
  return found
}

/** The checks in the audit rows of one verb. */
function readAuditedChecks(path: string, verb: string): string[] {
  using database = new DatabaseSync(path, { readOnly: true, timeout: 30_000 })
  const rows = database
    .prepare("select object from audit_entry where verb = ? and outcome = 'done'")
    .all(verb)
  return rows.map(({ object }) => String(object))
}

const listWrites = async ({ service }: KillableApp): Promise<string[]> =>
  (await service.requests('PUT')).map(({ path }) => path)

it(`edits each of ${CHECKS} checks once despite ${KILLS} kills, and undoes all edits (seed ${SEED})`, {
  timeout: 240_000 + CHECKS * 60,
}, async () => {
  await using setup = await startKillableApp()
  const { service, slack, sandbox } = setup
  const { admin } = slack
  await fetch(`${sandbox.productionUrl}/_sandbox/health-checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ count: CHECKS }),
  })
  const random = createRandom(SEED)
  const before = await readFields(setup)
  let app = await setup.start()
  const count = CHECKS.toLocaleString('en')
  const question = await admin.command('/hc', 'edit bulk-* --frequency 37', {
    until: 'It was set by hand',
  })
  const preview = await admin.click(question.message, 'It was set by hand', {
    until: `Set ${count} `,
  })
  await service.clearRequests()
  await admin.click(preview.message, `Set ${count}`, { until: 'Started.' })
  let written = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const range = (CHECKS * 0.9 - written) / (KILLS - kill)
    const target = written + 1 + random.below(range)
    await expect
      .poll(async () => (await listWrites(setup)).length, { timeout: 120_000, interval: 5 })
      .toBeGreaterThanOrEqual(target)
    app.child.kill('SIGKILL')
    await app[Symbol.asyncDispose]()
    written = (await listWrites(setup)).length
    app = await setup.start()
  }
  await using _last = app
  const waitMs = 60_000 + CHECKS * 30
  const waitForDm = (expected: string) =>
    admin.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected), waitMs)
  await waitForDm('Requested: Set frequency to 37')
  const sent = await listWrites(setup)
  expect(sent).toHaveLength(CHECKS)
  expect(new Set(sent).size).toBe(CHECKS)
  const audited = readAuditedChecks(setup.path, '/hc edit')
  expect(audited).toHaveLength(CHECKS)
  expect(new Set(audited).size).toBe(CHECKS)
  const after = await readFields(setup)
  expect([...after.values()].every((fields) => fields.includes(',37,'))).toBe(true)
  const done = (await admin.messages('dm')).findLast(({ text }) => text.includes('Requested: Set frequency'))
  expect(done?.text).toContain(`${count} health checks are now checked every 37 s.`)
  await admin.click(done, 'Undo', { until: 'Started.' })
  await waitForDm('Requested: Undo')
  expect(await readFields(setup)).toEqual(before)
})
