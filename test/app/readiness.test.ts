import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { startWorld, WITHOUT_LAME_DUCK } from '../world.ts'

async function readyz(url: string): Promise<[number, Record<string, string>]> {
  const answer = await fetch(`${url}/readyz`)
  // The app's own response is an object of strings.
  return [answer.status, (await answer.json()) as Record<string, string>]
}

it('responds with 503 while the database is locked, without waiting for the lock', async () => {
  await using sqlite = await startSqliteFile()
  await using world = await startWorld({
    environment: { DATABASE_URL: sqlite.url },
    ...WITHOUT_LAME_DUCK,
  })
  const { url } = world.app
  expect(await readyz(url)).toMatchObject([200, { database: 'ok', slack: 'ok' }])
  using other = new DatabaseSync(sqlite.file)
  other.exec('begin immediate')
  await expect.poll(() => readyz(url)).toMatchObject([503, { database: 'failing', slack: 'ok' }])
  const listWarnings = () => world.log.filter((line) => line.includes('Not ready: database'))
  await readyz(url)
  expect(listWarnings()).toMatchObject([expect.stringMatching(/can’t be locked|no answer in time/)])
  other.exec('rollback')
  await expect.poll(() => readyz(url)).toMatchObject([200, { database: 'ok' }])
  expect(world.log.filter((line) => line.includes('Ready again: database'))).toHaveLength(1)
  expect(listWarnings()).toHaveLength(1)
})

it('isn’t ready once it begins to stop, and still handles requests until it has stopped', async () => {
  const world = await startWorld()
  const { url } = world.app
  expect(await readyz(url)).toMatchObject([200, { accepting: 'ok' }])
  const stopping = world.app[Symbol.asyncDispose]()
  expect(await readyz(url)).toMatchObject([503, { accepting: 'failing' }])
  expect((await world.slack.member.command('/hc', 'help')).outcome.ok).toBe(true)
  await stopping
  expect(world.log.filter((line) => line.includes('Not ready'))).toEqual([])
  await expect(readyz(url)).rejects.toThrow()
  await world[Symbol.asyncDispose]()
})
