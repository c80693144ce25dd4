// A process of its own that polls and tells, to be killed at any moment, or run beside others.
// Arguments: the database, its keys, the service's address, its token, the address of a counting Slack, how
// long what it holds stays its own.
import { createService } from '../../src/api/service.ts'
import type { WatchPlace } from '../../src/domain/watching/watch.ts'
import { createLog } from '../../src/log.ts'
import { openStore } from '../../src/store/store.ts'
import { createWatching } from '../../src/watching/create-watching.ts'
import { startEngine } from '../../src/work/engine.ts'
import { modelRenderer } from './model/counterparts.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', slackUrl = '', leaseMs = ''] = process.argv
const log = createLog('silent')
const store = await openStore({ url, keys })
const service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })

async function send({ channelId }: WatchPlace, text: string, ts?: string): Promise<string> {
  const body = JSON.stringify({ channelId, model: JSON.parse(text), ...(ts && { ts }) })
  const answer = await fetch(slackUrl, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
  const { ts: own } = (await answer.json()) as { ts: string }
  return own
}

let wake = (): void => undefined
const engine = startEngine({
  store: store.work,
  kinds: createWatching({
    watching: store.watching,
    steps: store.recordedSteps,
    poster: {
      post: (place, { text }) => send(place, text),
      // What stands in threads is not counted.
      edit: async (place, ts, { text }) => (ts === 'thread' ? ts : send(place, text, ts)),
      reply: async () => 'thread',
      direct: async () => '',
    },
    renderer: { ...modelRenderer, details: () => ({ text: '{}', blocks: [] }) },
    apiOf: async (_workspaceId, environment, signal) => service.with({ environment, token, signal }),
    intervalMs: 1000,
    wake: () => wake(),
    log,
  }),
  log,
  times: { leaseMs: Number(leaseMs), pollMs: 50, retryMs: 50 },
})
wake = () => engine.wake()
process.stdout.write('ready\n')
process.stdin.resume()
