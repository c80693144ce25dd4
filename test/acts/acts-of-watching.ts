import { type ActKind, AT_ONCE } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const counted = (count: number): string => (count === 1 ? 'done' : count === 0 ? 'absent' : `${count} times`)

const watchesOf = async ({ store }: Stage, pattern: string) =>
  (await store.watching.watches.list(WORKSPACE)).filter(({ filter }) =>
    filter.include.some((rule) => rule.pattern === pattern),
  )

/** What people ask of watching; each is written to the store alone. */
export const ACTS_OF_WATCHING: readonly ActKind[] = [
  {
    name: 'watch',
    async prepare(stage, name) {
      const pattern = `${name}-*`
      return {
        verb: '/hc watch',
        says: /From now on/,
        send: () => stage.slack.member.command('/hc', `watch ${pattern} --after 2`, AT_ONCE),
        effect: async () => counted((await watchesOf(stage, pattern)).length),
      }
    },
  },
  {
    name: 'mute',
    async prepare(stage, name) {
      const pattern = `${name}-*`
      return {
        verb: '/hc mute',
        says: /Muted in this channel/,
        send: () => stage.slack.member.command('/hc', `mute ${pattern} 2h`, AT_ONCE),
        async effect() {
          const mutes = await stage.store.watching.mutes.list(WORKSPACE)
          return counted(
            mutes.filter(({ about }) => about.kind === 'name' && about.pattern === pattern).length,
          )
        },
      }
    },
  },
]
