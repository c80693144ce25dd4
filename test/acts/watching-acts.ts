import { expect } from 'vitest'
import { type ActKind, describeCount, NO_WAIT } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

/** Describes the effect of ending the only mute or watch, from the number that remain. */
const describeRemaining = (remaining: number): string =>
  remaining === 0 ? 'done' : remaining === 1 ? 'absent' : `${remaining} times`

const findMutes = async ({ store }: Deployment, pattern: string) =>
  (await store.watching.silences.list(WORKSPACE, new Date())).filter(
    ({ subject }) => subject.kind === 'name' && subject.pattern === pattern,
  )

const findWatches = async ({ store }: Deployment, pattern: string) =>
  (await store.watching.watches.list(WORKSPACE)).filter(({ filter }) =>
    filter.include.some((rule) => rule.pattern === pattern),
  )

/** Lets the channel watch one check, because it mutes only what it watches. */
async function watchOne({ service, slack, waitUntilSettled }: Deployment, name: string): Promise<void> {
  await service.addCheck({ name: `${name}-1` })
  const watch = () =>
    slack.member.command('/hc', `watch ${name}-*`, { until: /now watches|No health check matches/ })
  // The app may have listed the checks a moment ago, for somebody else.
  await expect.poll(async () => (await watch()).text).toContain('now watches')
  await waitUntilSettled()
}

/** Acts on watches and mutes. They change only the store, not the service. */
export const WATCHING_ACTS: readonly ActKind[] = [
  {
    name: 'watch',
    async prepare(deployment, name) {
      const pattern = `${name}-*`
      return {
        verb: '/hc watch',
        donePattern: /now watches/,
        send: () => deployment.slack.member.command('/hc', `watch ${pattern} --after 2 --sure`, NO_WAIT),
        readEffect: async () => describeCount((await findWatches(deployment, pattern)).length),
      }
    },
  },
  {
    // For a day, because in the clock tests a clock that jumps two hours ahead would end a short mute.
    name: 'mute',
    async prepare(deployment, name) {
      const pattern = `${name}-*`
      await watchOne(deployment, name)
      return {
        verb: '/hc mute',
        donePattern: /Muted: [\s\S]*This is for this channel only/,
        send: () => deployment.slack.member.command('/hc', `mute ${pattern} 1d`, NO_WAIT),
        readEffect: async () => describeCount((await findMutes(deployment, pattern)).length),
      }
    },
  },
  {
    name: 'unwatch',
    async prepare(deployment, name) {
      const pattern = `${name}-*`
      await deployment.slack.member.command('/hc', `watch ${pattern} --sure`, { until: 'now watches' })
      await deployment.waitUntilSettled()
      return {
        verb: '/hc unwatch',
        donePattern: /Ended 1 watch of this channel/,
        send: () => deployment.slack.member.command('/hc', `unwatch ${pattern}`, NO_WAIT),
        readEffect: async () => describeRemaining((await findWatches(deployment, pattern)).length),
      }
    },
  },
  {
    name: 'unmute',
    async prepare(deployment, name) {
      const pattern = `${name}-*`
      await watchOne(deployment, name)
      await deployment.slack.member.command('/hc', `mute ${pattern} 1d`, { until: 'Muted: ' })
      await deployment.waitUntilSettled()
      return {
        verb: '/hc unmute',
        donePattern: /Ended: the mute of/,
        send: () => deployment.slack.member.command('/hc', `unmute ${pattern}`, NO_WAIT),
        readEffect: async () => describeRemaining((await findMutes(deployment, pattern)).length),
      }
    },
  },
]
