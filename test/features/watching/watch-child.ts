// A process that polls and notifies after it reads `go` from its input. Tests kill it at any moment, or run several at once.
// Arguments: the database, its keys, the service's URL, its token, the URL of a counting Slack, the duration of leases in
// milliseconds, and the milliseconds after which a message without a reply counts as lost.
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { openStore } from '../../../src/app/store.ts'
import type { WatchChannel } from '../../../src/features/watching/rules/watch.ts'
import { createWatchingWork } from '../../../src/features/watching/watching-work.ts'
import { createLog } from '../../../src/log.ts'
import { createService } from '../../../src/service/service.ts'
import { createPostParts, modelRenderer } from './model/fakes.ts'
import { createFakeReachability, findSlackGroups } from './reachable-people.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', slackUrl = '', ...times] = process.argv
const [leaseMs = 0, assumeLostAfterMs = 0] = times.map(Number)
const log = createLog('silent')
const store = await openStore({ url, keys })
const service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })

async function postToSlack(path: string, payload: object): Promise<{ ts?: string }> {
  const body = JSON.stringify(payload)
  const answer = await fetch(slackUrl + path, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
  return (await answer.json()) as { ts?: string }
}

async function sendCard({ channelId }: WatchChannel, text: string, extra: object): Promise<string> {
  const { ts = '' } = await postToSlack('/send', { channelId, model: JSON.parse(text), ...extra })
  return ts
}

// Writes the compile cache now, because a killed process doesn't write it on exit. It makes the next process start a third faster.
flushCompileCache()
process.stdout.write('ready\n')
await once(process.stdin, 'data')
let wake = (): void => undefined
const engine = startEngine({
  store: store.work,
  kinds: createWatchingWork({
    watching: store.watching,
    steps: store.recordedSteps,
    getSlack: findSlackGroups,
    reachability: createFakeReachability(),
    posting: createPostParts(
      store,
      {
        async post({ target, to }, { text }, { postId } = {}) {
          const { channelId } = target
          return { channelId, ts: to === undefined ? await sendCard(target, text, { postId }) : '' }
        },
        async find({ target: { channelId } }, { postId }) {
          const { ts } = await postToSlack('/find', { channelId, postId })
          return ts === undefined ? undefined : { channelId, ts }
        },
        edit: async (target, ts, { text }) => void (await sendCard(target, text, { ts })),
      },
      { assumeLostAfterMs },
    ),
    renderer: modelRenderer,
    getApi: async (_workspaceId, environment) => service.with({ environment, token }),
    intervalMs: 1000,
    wake: () => wake(),
    log,
  }),
  log,
  times: { leaseMs, pollMs: 50, retryMs: 50 },
})
wake = () => engine.wake()
// Exits when the process that started it exits.
process.stdin.on('end', () => process.exit()).resume()
