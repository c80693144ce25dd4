import { type ActKind, AT_ONCE } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const counted = (count: number): string => (count === 1 ? 'done' : count === 0 ? 'absent' : `${count} times`)

/** The only one of its kind. */
const ended = (left: number): string => (left === 0 ? 'done' : left === 1 ? 'absent' : `${left} times`)

const mutesOf = async ({ store }: Stage, pattern: string) =>
  (await store.watching.silences.list(WORKSPACE)).filter(
    ({ about }) => about.kind === 'name' && about.pattern === pattern,
  )

const watchesOf = async ({ store }: Stage, pattern: string) =>
  (await store.watching.watches.list(WORKSPACE)).filter(({ filter }) =>
    filter.include.some((rule) => rule.pattern === pattern),
  )

/** Acts on watching. Each writes only to the store. */
export const ACTS_OF_WATCHING: readonly ActKind[] = [
  {
    name: 'watch-test',
    async prepare({ slack }) {
      const tests = async () =>
        (await slack.member.messages('general')).filter(
          ({ app, ephemeral, text }) => app && !ephemeral && text.includes('Someone sent this as a test'),
        ).length
      const before = await tests()
      return {
        verb: '/hc watch-test',
        says: /The test was sent/,
        send: () => slack.member.command('/hc', 'watch-test', AT_ONCE),
        effect: async () => counted((await tests()) - before),
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
        send: () => stage.slack.member.command('/hc', `watch ${pattern} --after 2`, AT_ONCE),
        effect: async () => counted((await watchesOf(stage, pattern)).length),
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
        send: () => stage.slack.member.command('/hc', `mute ${pattern} 1d`, AT_ONCE),
        effect: async () => counted((await mutesOf(stage, pattern)).length),
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
        send: () => stage.slack.member.command('/hc', `unwatch ${pattern}`, AT_ONCE),
        effect: async () => ended((await watchesOf(stage, pattern)).length),
      }
    },
  },
  {
    name: 'handover',
    async prepare(stage, name) {
      const { slack, store } = stage
      // Used once per stage, because each stage hands over what one former colleague left.
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
        send: () => slack.admin.click(message, 'Hand over', AT_ONCE),
        async effect() {
          const all = await store.watching.watches.list(WORKSPACE)
          const theirs = all.filter(({ filter: { include } }) =>
            include.some(({ pattern }) => pattern?.startsWith(`${name}-`)),
          )
          const given = theirs.filter(({ ownerId }) => ownerId === 'U0MEMBER01').length
          return given === 3 ? 'done' : given === 0 ? 'absent' : 'partly'
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
        send: () => stage.slack.member.command('/hc', `unmute ${pattern}`, AT_ONCE),
        effect: async () => ended((await mutesOf(stage, pattern)).length),
      }
    },
  },
]
