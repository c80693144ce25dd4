import { expect } from 'vitest'
import { startWorld, type World, type WorldOptions } from '../../../world.ts'

/** Short intervals, so that what normally takes minutes happens within a second. */
export const QUICK = {
  pingMs: 100,
  retryMs: 200,
  crowdedMs: 200,
  shortLifeMs: 20,
}

export const startSocketWorld = (options: WorldOptions = {}): Promise<World> =>
  startWorld({
    socketTimes: QUICK,
    ...options,
    environment: { SLACK_APP_TOKEN: 'xapp-playground', ...options.environment },
  })

export async function fetchReadiness({ app }: World): Promise<Record<string, string>> {
  const answer = await fetch(`${app.url}/readyz`)
  // Our own endpoint, which returns an object of strings.
  return (await answer.json()) as Record<string, string>
}

export const waitUntilReady = (world: World): Promise<void> =>
  expect.poll(() => fetchReadiness(world)).toMatchObject({ status: 'ready' })

/** Waits until both sockets are open and neither is about to close. */
export const waitForTwoSockets = (world: World): Promise<void> =>
  expect.poll(() => world.playground.socketCount()).toBe(2)
