import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SHARED_DATABASES, type TestDatabase } from '../databases/databases.ts'
import { OF_DECISIONS } from './decisions.ts'
import { type Scene, sceneOf, WHOLE } from './scene.ts'

describe.each(SHARED_DATABASES)('a person with the database but no key, on $name', ({ start }) => {
  let database: TestDatabase
  let scene: Scene
  beforeAll(async () => {
    database = await start()
    scene = await sceneOf(database)
  })
  beforeEach(() => scene.mend())
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('isn’t reported if they changed nothing', async () => {
    const { obeyed, says } = await scene.look()
    expect(obeyed).toEqual(WHOLE)
    expect(says.at(-1)).toBe('The audit log is intact.')
  })

  it.each(OF_DECISIONS)('is reported, and gains nothing else: $does', async ({ how, leaves, says }) => {
    await how(scene)
    const found = await scene.look()
    expect(found.obeyed).toEqual({ ...WHOLE, ...leaves })
    for (const sentence of says) expect(found.says).toContainEqual(expect.stringMatching(sentence))
  })
})
