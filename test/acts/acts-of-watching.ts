import { type ActKind, NO_WAIT } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const describeCount = (count: number): string =>
  count === 1 ? 'done' : count === 0 ? 'absent' : `${count} times`

/** The effect of ending the only mute or watch, by how many are left. */
const describeRemaining = (left: number): string =>
  left === 0 ? 'done' : left === 1 ? 'absent' : `${left} times`

const findMutes = async ({ store }: Stage, pattern: string) =>
  (await store.watching.silences.list(WORKSPACE)).filter(
    ({ about }) => about.kind === 'name' && about.pattern === pattern,
  )

const findWatches = async ({ store }: Stage, pattern: string) =>
  (await store.watching.watches.list(WORKSPACE)).filter(({ filter }) =>
    filter.include.some((rule) => rule.pattern === pattern),
  )

/** Acts on watching. Each writes only to the store. */
export const WATCHING_ACTS: readonly ActKind[] = [
  {
    name: 'watch-test',
    async prepare({ slack }) {
      const countTests = async () =>
        (await slack.member.messages('general')).filter(
          ({ app, ephemeral, text }) => app && !ephemeral && text.includes('Someone sent this as a test'),
        ).length
      const before = await countTests()
      return {
        verb: '/hc watch-test',
        says: /The test was sent/,
        send: () => slack.member.command('/hc', 'watch-test', NO_WAIT),
        effect: async () => describeCount((await countTests()) - before),
      }
    },
  },
  {
    name: 'watch',
    async prepare(stage, name) {
      const pattern = `${name}-*`
      return {
        verb: '/hc watch',
        says: /now watches/,
        send: () => stage.slack.member.command('/hc', `watch ${pattern} --after 2`, NO_WAIT),
        effect: async () => describeCount((await findWatches(stage, pattern)).length),
      }
    },
  },
  {
    // Longer than any clock jump: a clock that is two hours ahead ends a two-hour mute.
    name: 'mute',
    async prepare(stage, name) {
      const pattern = `${name}-*`
      return {
        verb: '/hc mute',
        says: /Muted .* in this channel/,
        send: () => stage.slack.member.command('/hc', `mute ${pattern} 1d`, NO_WAIT),
        effect: async () => describeCount((await findMutes(stage, pattern)).length),
      }
    },
  },
  {
    name: 'unwatch',
    async prepare(stage, name) {
      const pattern = `${name}-*`
      await stage.slack.member.command('/hc', `watch ${pattern}`, { until: 'now watches' })
      await stage.settled()
      return {
        verb: '/hc unwatch',
        says: /Ended 1 watch of this channel/,
        send: () => stage.slack.member.command('/hc', `unwatch ${pattern}`, NO_WAIT),
        effect: async () => describeRemaining((await findWatches(stage, pattern)).length),
      }
    },
  },
  {
    name: 'handover',
    async prepare(stage, name) {
      const { slack, store } = stage
      // Each act has its own former colleague, so that it hands over only these three watches.
      const from = `U0GONE${name.replace(/[^a-z0-9]/gi, '').toUpperCase()}`
      const place = { workspaceId: WORKSPACE, channelId: 'C0GENERAL1', environment: 'production' as const }
      for (const nth of [1, 2, 3])
        await store.watching.watches.add({
          ...place,
          filter: { include: [{ field: 'name', pattern: `${name}-${nth}` }], exclude: [] },
          ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: from, madeAt: new Date() },
        })
      const { message } = await slack.admin.command('/hc', `handover ${from} U0MEMBER01`, {
        until: 'Hand over 3 things',
      })
      await stage.settled()
      return {
        verb: '/hc handover',
        says: /Handed over 3 things/,
        isOfMany: true,
        isByAdmin: true,
        send: () => slack.admin.click(message, 'Hand over', NO_WAIT),
        async effect() {
          const all = await store.watching.watches.list(WORKSPACE)
          const theirs = all.filter(({ filter: { include } }) =>
            include.some(({ pattern }) => pattern?.startsWith(`${name}-`)),
          )
          const handedOver = theirs.filter(({ ownerId }) => ownerId === 'U0MEMBER01').length
          return handedOver === 3 ? 'done' : handedOver === 0 ? 'absent' : 'partly'
        },
      }
    },
  },
  {
    name: 'unmute',
    async prepare(stage, name) {
      const pattern = `${name}-*`
      await stage.slack.member.command('/hc', `mute ${pattern} 1d`, {
        until: 'in production, in this channel, until',
      })
      await stage.settled()
      return {
        verb: '/hc unmute',
        says: /Unmuted .* in this channel/,
        send: () => stage.slack.member.command('/hc', `unmute ${pattern}`, NO_WAIT),
        effect: async () => describeRemaining((await findMutes(stage, pattern)).length),
      }
    },
  },
]
