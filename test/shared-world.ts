import { afterAll, afterEach, beforeAll } from 'vitest'
import type { CheckSeed } from './sandbox-control.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/**
 * Starts one world for all tests of a file or suite, because starting one takes longer than most tests. Returns a function that adds
 * checks to it and returns it. After each test, its checks, faults, recorded requests, and windows are gone. Messages, audit rows, and
 * everything else that a test stores stay.
 */
export function shareWorld(options: WorldOptions = {}): (...checks: CheckSeed[]) => Promise<World> {
  let world: World | undefined
  beforeAll(async () => {
    world = await startWorld(options)
  })
  afterEach(() => world && emptyWorld(world))
  afterAll(() => world?.[Symbol.asyncDispose]())
  return async (...checks) => {
    if (!world) throw new Error('The shared world isn’t started yet.')
    for (const check of checks) await world.service.addCheck(check)
    await world.service.clearRequests()
    return world
  }
}

async function emptyWorld({ service, slack }: World): Promise<void> {
  await service.faults()
  for (const person of [slack.member, slack.admin])
    if ((await person.views()).length > 0) await person.close({ all: true })
  for (const { uuid } of await service.checksNamed('*')) await service.remove(uuid)
  await service.clearRequests()
}
