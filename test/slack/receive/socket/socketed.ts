import { expect } from 'vitest'
import { startWorld, type World, type WorldOptions } from '../../../world.ts'

/** Short, so that a test sees within a second what takes minutes otherwise. */
export const QUICK = {
  pingMs: 100,
  // Of what a silent socket comes to, one test tells, with a time of its own.
  silentMs: 30_000,
  retryMs: 200,
  crowdedMs: 200,
  shortLifeMs: 20,
  lookEveryMs: 50,
}

/** The app in Socket Mode, once it can be reached. */
export const startSocketWorld = (options: WorldOptions = {}): Promise<World> =>
  startWorld({
    socketTimes: QUICK,
    ...options,
    environment: { SLACK_APP_TOKEN: 'xapp-playground', ...options.environment },
  })

/** What `/readyz` says. */
export async function readiness({ app }: World): Promise<Record<string, string>> {
  const answer = await fetch(`${app.url}/readyz`)
  // Ours, an object of texts.
  return (await answer.json()) as Record<string, string>
}

export const untilReady = (world: World): Promise<void> =>
  expect.poll(() => readiness(world)).toMatchObject({ status: 'ready' })

/** Both sockets open, and none of them about to go. */
export const untilTwo = (world: World): Promise<void> =>
  expect.poll(() => world.playground.socketCount()).toBe(2)
