import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../acts/act-kind.ts'
import { EMPTY_DATABASES } from '../databases/databases.ts'
import { runFile } from '../process.ts'
import { makeProjectCopy } from '../project-copy.ts'
import { SIGNING_SECRET, startWorld, type World } from '../world.ts'

const NEXT = '999-next-release'

/** Changes to the tables that a version may make while the previous version still writes to them (docs/operate.md). */
const MIGRATION = `import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['work', 'work_step', 'setting', 'role_grant', 'claim', 'ephemeral_state', 'process'])
    await db.schema.alterTable(table).addColumn('next_note', 'text').execute()
  await db.schema
    .alterTable('connection')
    .addColumn('next_kind', 'text', (column) => column.notNull().defaultTo('plain'))
    .execute()
  await db.schema.createTable('next_thing').addColumn('id', 'text', (column) => column.primaryKey()).execute()
  await db.schema.createIndex('work_by_next_note').on('work').column('next_note').execute()
}
`

/** Creates the next version: a copy of these sources with one more migration. */
async function makeNextRelease() {
  const installation = await makeProjectCopy()
  const folder = join(installation.root, 'src/app')
  writeFileSync(join(folder, `${NEXT}.ts`), MIGRATION)
  const list = join(folder, 'model.ts')
  const changed = readFileSync(list, 'utf8')
    .replace('import {', `import { up as next } from './${NEXT}.ts'\nimport {`)
    .replace('(db, TABLES) }', `(db, TABLES) }, { name: '${NEXT}', up: next }`)
  writeFileSync(list, changed)
  return { ...installation, program: join(installation.root, 'src/cli/signalman.ts') }
}

async function createCheck({ slack: { member } }: World, name: string): Promise<void> {
  await member.command('/hc', 'create', UNTIL_FORM)
  await member.submit({ Name: name, Target: 'a.example.com', 'Customer ID': '1' }, { until: 'Created 1' })
  await member.close({ all: true })
  await member.command('/hc', `show ${name}`, { until: name })
}

const postgres = EMPTY_DATABASES.filter(({ name }) => name === 'PostgreSQL')

it.each(postgres)(
  'keeps the previous version serving on $name during and after the migration, but doesn’t let it start again',
  async ({ start }) => {
    await using next = await makeNextRelease()
    await using database = await start()
    const databaseVariables = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
    await using world = await startWorld({ environment: databaseVariables })
    const { playground, sandbox } = world
    const env = {
      ...databaseVariables,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_BOT_TOKEN: playground.botToken,
      SLACK_API_URL: playground.apiUrl,
      API_BASE_URL: sandbox.productionUrl,
      API_TOKEN: sandbox.token,
      HOST: '127.0.0.1',
      PORT: '0',
    }
    await createCheck(world, 'before')
    await using newer = runFile(next.program, { args: ['serve'], env })
    let isUp = false
    const listening = newer.waitFor(/"url":"([^"]+)"/).then((found) => {
      isUp = true
      return found[1] ?? ''
    })
    // Sent during the whole start and migration of the new version.
    let during = 0
    for (; !isUp || during === 0; during += 1) await createCheck(world, `during-${during}`)
    const addresses = [await listening, world.app.url]
    for (const [nth, address] of addresses.entries()) {
      playground.setAppUrl(address)
      await createCheck(world, `beside-${nth}`)
      // One version reads what the other wrote.
      await world.slack.member.command('/hc', 'audit', { until: `beside-${nth}` })
    }
    for (const name of [
      'before',
      'beside-0',
      'beside-1',
      ...Array.from({ length: during }, (_, nth) => `during-${nth}`),
    ])
      expect(await world.service.checksNamed(name)).toHaveLength(1)
    await using older = runFile('src/cli/signalman.ts', { args: ['serve'], env })
    expect(await older.ended).toBe(1)
    expect(older.output()).toContain(`written by a newer version of the program (migrations ${NEXT})`)
    expect(older.output()).not.toContain('    at ')
    newer.child.kill('SIGTERM')
    expect(await newer.ended).toBe(0)
  },
)
