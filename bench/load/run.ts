import { setTimeout as pause } from 'node:timers/promises'
import { median, percentile } from '../parts/numbers.ts'
import {
  commandForm,
  homeOpenedBody,
  listWorkspaces,
  pressForm,
  type Sender,
  signedRequest,
} from '../parts/slack.ts'
import { type Connection, openConnection } from './connection.ts'
import type { Sink } from './sink.ts'

/** The request to send: a typed command, a press of the button with this label in the latest answer, or an opened App Home. */
export type LoadRequest = { typed: string } | { pressed: string } | 'home opened'

/** Which requests to send, how many, and how fast. */
export interface Plan {
  url: string
  request: LoadRequest
  count: number
  connections: number
  /** Whether a request is complete when its answer arrives at the response_url. By default, its acknowledgement completes it. */
  untilAnswered?: boolean
  /**
   * Requests per second, even if earlier ones aren't complete. By default, each connection sends its next request as soon as the
   * previous one is complete.
   */
  perSecond?: number
  /** The number of workspaces that take turns sending requests; 8 by default. */
  workspaces?: number
}

export interface Outcome {
  perSecond: number
  /** The median time to the acknowledgement. */
  acknowledgedMs: number
  /** The 99th percentile of the time to the acknowledgement. */
  acknowledgedP99Ms: number
  /** The latest posted answer; empty if the plan doesn't wait for answers. */
  latest: string
}

const USER_ID = 'U2147483697'

/** Runs a plan. Throws if a request fails or its status isn't 200. */
export async function runPlan(plan: Plan, firstId: number, sink: Sink): Promise<Outcome> {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => openConnection(plan.url)),
  )
  // Signed before the clock starts, so that the generator's own work isn't measured.
  const requests = signRequests(plan, firstId, sink)
  const acknowledgedMs: number[] = []
  using _awake = plan.untilAnswered || plan.connections === 1 ? undefined : stayAwake()

  async function send(connection: Connection, index: number): Promise<void> {
    const reply = plan.untilAnswered ? sink.waitForReply(firstId + index) : undefined
    const sentAt = performance.now()
    const status = await connection.send(requests[index] ?? Buffer.alloc(0))
    acknowledgedMs.push(performance.now() - sentAt)
    if (status !== 200) throw new Error(`a request got the status ${status}`)
    await reply
  }

  try {
    const started = performance.now()
    await (plan.perSecond
      ? sendAtRate(plan.count, plan.perSecond, connections, send)
      : sendBackToBack(plan.count, connections, send))
    const seconds = (performance.now() - started) / 1000
    return {
      perSecond: plan.count / seconds,
      acknowledgedMs: median(acknowledgedMs),
      acknowledgedP99Ms: percentile(acknowledgedMs, 0.99),
      latest: plan.untilAnswered ? sink.latest() : '',
    }
  } finally {
    for (const connection of connections) connection[Symbol.dispose]()
  }
}

function signRequests({ url, request, count, ...plan }: Plan, firstId: number, sink: Sink): Buffer[] {
  const { host } = new URL(url)
  const workspaces = listWorkspaces(plan.workspaces ?? 8)
  return Array.from({ length: count }, (_, index) => {
    const id = firstId + index
    const sender: Sender = {
      id,
      workspace: workspaces[index % workspaces.length] ?? '',
      user: USER_ID,
      responseUrl: sink.createResponseUrl(id),
    }
    return signedRequest(host, formatBody(request, sender, sink))
  })
}

function formatBody(request: LoadRequest, sender: Sender, sink: Sink): string {
  if (request === 'home opened') return homeOpenedBody(sender)
  if ('typed' in request) return commandForm(sender, request.typed)
  return pressForm(sender, findButton(sink.latest(), request.pressed))
}

interface Button {
  action_id: string
  value: string
  text?: { text: string }
}

/** The button with this label in an answer. Throws if there is none. */
function findButton(answer: string, label: string): Button {
  // Every answer is a Slack message.
  const { blocks } = JSON.parse(answer) as { blocks: { elements?: Button[] }[] }
  const found = blocks.flatMap(({ elements }) => elements ?? []).find(({ text }) => text?.text === label)
  if (!found) throw new Error(`the latest answer has no button "${label}"`)
  return found
}

type Send = (connection: Connection, index: number) => Promise<void>

/**
 * Each connection sends its next request as soon as the previous one is complete. With eight connections and eight workspaces, every
 * request of a connection is from the same workspace.
 */
async function sendBackToBack(count: number, connections: readonly Connection[], send: Send): Promise<void> {
  await Promise.all(
    connections.map(async (connection, first) => {
      for (let index = first; index < count; index += connections.length) await send(connection, index)
    }),
  )
}

/** Sends at a fixed rate over free connections. If none is free, later requests wait for one. */
async function sendAtRate(
  count: number,
  perSecond: number,
  connections: readonly Connection[],
  send: Send,
): Promise<void> {
  const free = [...connections]
  const running: Promise<void>[] = []
  let connectionFreed = Promise.withResolvers<void>()
  const started = performance.now()

  async function sendOn(connection: Connection, index: number): Promise<void> {
    try {
      await send(connection, index)
    } finally {
      free.push(connection)
      connectionFreed.resolve()
      connectionFreed = Promise.withResolvers()
    }
  }

  for (let index = 0; index < count; index += 1) {
    const dueInMs = started + (index * 1000) / perSecond - performance.now()
    if (dueInMs > 0) await pause(dueInMs)
    while (free.length === 0) await connectionFreed.promise
    const connection = free.pop()
    if (connection) running.push(sendOn(connection, index))
    // `Promise.all` below reports a failed request. Until then, Node must not see an unhandled rejection.
    running.at(-1)?.catch(() => undefined)
  }
  await Promise.all(running)
}

/**
 * Keeps this process from sleeping between responses. Otherwise, the server would spend CPU time on waking it up, and a slow server
 * more than a fast one. With one connection, each response wakes this process anyway.
 */
function stayAwake(): Disposable {
  let isStopped = false
  const spin = (): void => {
    if (!isStopped) setImmediate(spin)
  }
  spin()
  return {
    [Symbol.dispose]() {
      isStopped = true
    },
  }
}
