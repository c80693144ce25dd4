import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { serveCalls } from '../parts/child.ts'
import { median, percentile } from '../parts/numbers.ts'
import { commandForm, listWorkspaces, sign } from '../parts/slack.ts'
import { type Sink, startSink } from './sink.ts'

/** Which commands to send, how many, and how fast. A command is complete when its answer arrives at the response_url. */
export interface Plan {
  url: string
  /** The texts after `/hc`, which take turns. */
  typed: readonly string[]
  count: number
  connections: number
  /** Commands per second, even if earlier ones aren't complete. By default, each connection sends the next one after an answer. */
  perSecond?: number
}

export interface Outcome {
  /** The time until all commands were complete, divided by their number. */
  msEach: number
  /** The median time to the acknowledgement. */
  acknowledgedMs: number
  /** The 99th percentile of the time to the acknowledgement. */
  acknowledgedP99Ms: number
  /** The latest posted answer. */
  latest: string
}

const WORKSPACES = listWorkspaces(8)

/** Runs a plan. Throws if a request's status isn't 200, or if an answer doesn't arrive. */
async function runPlan(plan: Plan, firstId: number, sink: Sink): Promise<Outcome> {
  const { url, typed, count, connections, perSecond } = plan
  const pool = new Pool(url, { connections })
  // Signed before the clock starts, so that the generator's own work isn't measured.
  const requests = Array.from({ length: count }, (_, index) => {
    const id = firstId + index
    const workspace = WORKSPACES[index % WORKSPACES.length] ?? ''
    const text = typed[index % typed.length] ?? ''
    return { id, ...sign(commandForm({ id, workspace, responseUrl: sink.createResponseUrl(id) }, text)) }
  })
  const acknowledgedMs: number[] = []

  async function send({ id, ...request }: (typeof requests)[number]): Promise<void> {
    const reply = sink.waitForReply(id)
    const sentAt = performance.now()
    const { statusCode, body } = await pool.request({ method: 'POST', path: '/slack/events', ...request })
    acknowledgedMs.push(performance.now() - sentAt)
    await body.dump()
    if (statusCode !== 200) throw new Error(`a request got the status ${statusCode}`)
    await reply
  }

  const startedAt = performance.now()
  if (perSecond === undefined) {
    // With eight connections and eight workspaces, every request of a connection is from the same workspace.
    const sendEvery = async (first: number): Promise<void> => {
      for (const [index, request] of requests.entries())
        if (index % connections === first) await send(request)
    }
    await Promise.all(Array.from({ length: connections }, (_, first) => sendEvery(first)))
  } else {
    const sendLater = async (index: number, request: (typeof requests)[number]): Promise<void> => {
      await pause((index * 1000) / perSecond)
      await send(request)
    }
    await Promise.all(requests.map((request, index) => sendLater(index, request)))
  }
  const ms = performance.now() - startedAt
  await pool.destroy()
  return {
    msEach: ms / count,
    acknowledgedMs: median(acknowledgedMs),
    acknowledgedP99Ms: percentile(acknowledgedMs, 0.99),
    latest: sink.latest(),
  }
}

/** The process of the load generator. It also runs the fake Slack, which receives the answers. */
if (process.send)
  serveCalls(async () => {
    const sink = await startSink()
    let nextId = 1
    return {
      ready: sink.url,
      handlers: {
        run(argument) {
          // Only `startWithLoad` calls this.
          const plan = argument as Plan
          const firstId = nextId
          nextId += plan.count
          return runPlan(plan, firstId, sink)
        },
        firstPosts: () => sink.firstPosts,
        countEdits: () => sink.countEdits(),
      },
    }
  })
