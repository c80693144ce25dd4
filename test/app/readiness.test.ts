import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { makeFolder } from '../store/databases.ts'
import { startWorld } from '../world.ts'

async function readyz(url: string): Promise<[number, Record<string, string>]> {
  const answer = await fetch(`${url}/readyz`)
  // Ours, an object of texts.
  return [answer.status, (await answer.json()) as Record<string, string>]
}

it('is not ready while the database takes no writes, and says so before whoever asks gives up', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  await using world = await startWorld({ environment: { DATABASE_URL: `sqlite:${file}` } })
  const { url } = world.app
  expect(await readyz(url)).toMatchObject([200, { database: 'ok', slack: 'ok' }])
  using other = new DatabaseSync(file)
  other.exec('begin immediate')
  const asked = readyz(url)
  await expect.poll(() => readyz(url)).toMatchObject([503, { database: 'failing', slack: 'ok' }])
  other.exec('rollback')
  await asked
  await expect.poll(() => readyz(url)).toMatchObject([200, { database: 'ok' }])
})

it('says that it is about to stop while it still takes what was sent before that was heard', async () => {
  const world = await startWorld()
  const { url } = world.app
  expect(await readyz(url)).toMatchObject([200, { accepting: 'ok' }])
  const stopping = world.app[Symbol.asyncDispose]()
  expect(await readyz(url)).toMatchObject([503, { accepting: 'failing' }])
  expect((await world.slack.member.command('/hc', 'help')).outcome.ok).toBe(true)
  await stopping
  await expect(readyz(url)).rejects.toThrow()
  await world[Symbol.asyncDispose]()
})
