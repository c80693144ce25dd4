import { serveCalls } from '../parts/calls.ts'
import { startWatching } from '../parts/watching.ts'

/** One of several processes that share the polling. */
serveCalls(async (settings) => {
  // `measures/many-workspaces.ts` passes these settings.
  const watching = await startWatching(settings as Parameters<typeof startWatching>[0])
  let before = process.cpuUsage()
  return {
    ready: undefined,
    handlers: {
      posts: () => watching.posts.map(({ workspaceId, epochMs }) => [workspaceId, epochMs] as const),
      resetCpuTime() {
        before = process.cpuUsage()
      },
      cpuMs() {
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1000
      },
      stop: () => watching[Symbol.asyncDispose](),
    },
  }
})
