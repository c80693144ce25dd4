import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SHARED_DATABASES, type TestDatabase } from '../databases/databases.ts'
import { DECISION_CHANGES } from './decisions.ts'
import { createScene, type Scene, UNCHANGED } from './scene.ts'

describe.each(SHARED_DATABASES)('a person with the database but no key, on $name', ({ start }) => {
  let database: TestDatabase
  let scene: Scene
  beforeAll(async () => {
    database = await start()
    scene = await createScene(database)
  })
  beforeEach(() => scene.restore())
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('isn’t reported if they changed nothing', async () => {
    const { obeyed, says } = await scene.inspect()
    expect(obeyed).toEqual(UNCHANGED)
    expect(says.at(-1)).toBe('The audit log is intact.')
  })

  it.each(DECISION_CHANGES)('is reported, and gains nothing else: $does', async ({ how, leaves, says }) => {
    await how(scene)
    const found = await scene.inspect()
    expect(found.obeyed).toEqual({ ...UNCHANGED, ...leaves })
    for (const sentence of says) expect(found.says).toContainEqual(expect.stringMatching(sentence))
  })
})
