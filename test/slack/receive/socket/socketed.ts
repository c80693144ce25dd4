import { expect } from 'vitest'
import { startWorld, type World, type WorldOptions } from '../../../world.ts'

/** Short, so that a test sees within a second what otherwise takes minutes. */
export const QUICK = {
  pingMs: 100,
  // One test covers silent sockets, with its own timing.
  silentMs: 30_000,
  retryMs: 200,
  crowdedMs: 200,
  shortLifeMs: 20,
  lookEveryMs: 50,
}

/** The app in Socket Mode, once Slack can reach it. */
export const startSocketWorld = (options: WorldOptions = {}): Promise<World> =>
  startWorld({
    socketTimes: QUICK,
    ...options,
    environment: { SLACK_APP_TOKEN: 'xapp-playground', ...options.environment },
  })

/** The response of `/readyz`. */
export async function readiness({ app }: World): Promise<Record<string, string>> {
  const answer = await fetch(`${app.url}/readyz`)
  // Our own endpoint, which returns an object of strings.
  return (await answer.json()) as Record<string, string>
}

export const untilReady = (world: World): Promise<void> =>
  expect.poll(() => readiness(world)).toMatchObject({ status: 'ready' })

/** Both sockets are open, and neither is about to close. */
export const untilTwo = (world: World): Promise<void> =>
  expect.poll(() => world.playground.socketCount()).toBe(2)
