import { setTimeout as pause } from 'node:timers/promises'
import { median, percentile } from '../parts/numbers.ts'
import {
  commandForm,
  homeOpened,
  listWorkspaces,
  pressForm,
  type Sender,
  signedRequest,
} from '../parts/slack.ts'
import { type Line, openConnection } from './line.ts'
import type { Sink } from './sink.ts'

/** The request to send: a typed line, an opened Home, or a press on the button with this label in the latest answer. */
export type LoadRequest = { typed: string } | { pressed: string } | 'home opened'

/** The number of signed requests, and of connections. */
export interface Plan {
  url: string
  request: LoadRequest
  count: number
  connections: number
  /** A request ends when its answer arrives at the response_url, and not with its acknowledgement. */
  whole?: boolean
  /**
   * Requests per second, even if earlier ones are still running. By default, each connection sends its next request immediately.
   */
  perSecond?: number
  /** How many workspaces take turns; 8 by default. */
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

const SOMEBODY = 'U2147483697'

/** Runs a plan. Throws if a request fails or has another status than 200. */
export async function runPlan(plan: Plan, firstId: number, sink: Sink): Promise<Outcome> {
  const lines = await Promise.all(Array.from({ length: plan.connections }, () => openConnection(plan.url)))
  // Signed before the clock starts, so that the generator's own work isn't measured.
  const requests = signRequests(plan, firstId, sink)
  const acknowledgedMs: number[] = []
  using _awake = plan.whole || plan.connections === 1 ? undefined : stayAwake()

  async function send(line: Line, index: number): Promise<void> {
    const reply = plan.whole ? sink.reply(firstId + index) : undefined
    const sentAt = performance.now()
    const status = await line.send(requests[index] ?? Buffer.alloc(0))
    acknowledgedMs.push(performance.now() - sentAt)
    if (status !== 200) throw new Error(`a request was answered with status ${status}`)
    await reply
  }

  try {
    const started = performance.now()
    await (plan.perSecond ? paced(plan.count, plan.perSecond, lines, send) : closed(plan.count, lines, send))
    const seconds = (performance.now() - started) / 1000
    return {
      perSecond: plan.count / seconds,
      acknowledgedMs: median(acknowledgedMs),
      acknowledgedP99Ms: percentile(acknowledgedMs, 0.99),
      latest: plan.whole ? sink.latest() : '',
    }
  } finally {
    for (const line of lines) line[Symbol.dispose]()
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
      user: SOMEBODY,
      responseUrl: sink.addressOf(id),
    }
    return signedRequest(host, formatBody(request, sender, sink))
  })
}

function formatBody(request: LoadRequest, sender: Sender, sink: Sink): string {
  if (request === 'home opened') return homeOpened(sender)
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

type Send = (line: Line, index: number) => Promise<void>

/** Each connection sends its next request when its last one ends. With eight connections, each is for one workspace. */
async function closed(count: number, lines: readonly Line[], send: Send): Promise<void> {
  await Promise.all(
    lines.map(async (line, first) => {
      for (let index = first; index < count; index += lines.length) await send(line, index)
    }),
  )
}

/** Sends at a fixed rate over free connections. If the machine stalls, later requests wait for the next one. */
async function paced(count: number, perSecond: number, lines: readonly Line[], send: Send): Promise<void> {
  const free = [...lines]
  const running: Promise<void>[] = []
  let freed = Promise.withResolvers<void>()
  const started = performance.now()

  async function sendOn(line: Line, index: number): Promise<void> {
    try {
      await send(line, index)
    } finally {
      free.push(line)
      freed.resolve()
      freed = Promise.withResolvers()
    }
  }

  for (let index = 0; index < count; index += 1) {
    const dueInMs = started + (index * 1000) / perSecond - performance.now()
    if (dueInMs > 0) await pause(dueInMs)
    while (free.length === 0) await freed.promise
    const line = free.pop()
    if (line) running.push(sendOn(line, index))
    // A failed request makes the plan fail below, whenever it happened.
    running.at(-1)?.catch(() => undefined)
  }
  await Promise.all(running)
}

/**
 * Keeps this process from sleeping, because the server would be charged for waking it, but only if it is slow enough for the
 * process to fall asleep in between. With one connection, each answer wakes it anyway.
 */
function stayAwake(): Disposable {
  let isOver = false
  const look = (): void => {
    if (!isOver) setImmediate(look)
  }
  look()
  return {
    [Symbol.dispose]() {
      isOver = true
    },
  }
}
