import { setTimeout as pause } from 'node:timers/promises'
import { median, percentile } from '../parts/numbers.ts'
import {
  commandForm,
  homeOpened,
  pressForm,
  type Sender,
  signedRequest,
  workspacesOf,
} from '../parts/slack.ts'
import { type Line, openLine } from './line.ts'
import type { Sink } from './sink.ts'

/** What is sent: a typed line, an opened Home, or a press on the button of the latest answer so named. */
export type LoadRequest = { typed: string } | { pressed: string } | 'home opened'

/** So many signed requests, over so many connections. */
export interface Plan {
  url: string
  request: LoadRequest
  count: number
  connections: number
  /** A request is over when its answer has reached the response_url, and not with its acknowledgement. */
  whole?: boolean
  /** Sent at this rate, whether or not earlier ones are over; without it each connection sends its next one at once. */
  perSecond?: number
  /** How many workspaces take turns; 8 unless given. */
  workspaces?: number
}

export interface Outcome {
  perSecond: number
  /** Median time from the request to its acknowledgement. */
  acknowledgedMs: number
  /** The time within which 99 in 100 were acknowledged. */
  acknowledgedP99Ms: number
  /** The latest answer that was posted; empty when none is waited for. */
  latest: string
}

const SOMEBODY = 'U2147483697'

/** Carries a plan out. Throws when anything is answered with another status than 200, or not at all. */
export async function runPlan(plan: Plan, firstId: number, sink: Sink): Promise<Outcome> {
  const lines = await Promise.all(Array.from({ length: plan.connections }, () => openLine(plan.url)))
  // Signed before the clock starts: the load's own work must not be measured.
  const requests = requestsOf(plan, firstId, sink)
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

function requestsOf({ url, request, count, ...plan }: Plan, firstId: number, sink: Sink): Buffer[] {
  const { host } = new URL(url)
  const workspaces = workspacesOf(plan.workspaces ?? 8)
  return Array.from({ length: count }, (_, index) => {
    const id = firstId + index
    const sender: Sender = {
      id,
      workspace: workspaces[index % workspaces.length] ?? '',
      user: SOMEBODY,
      responseUrl: sink.addressOf(id),
    }
    return signedRequest(host, bodyOf(request, sender, sink))
  })
}

function bodyOf(request: LoadRequest, sender: Sender, sink: Sink): string {
  if (request === 'home opened') return homeOpened(sender)
  if ('typed' in request) return commandForm(sender, request.typed)
  return pressForm(sender, buttonOf(sink.latest(), request.pressed))
}

interface Button {
  action_id: string
  value: string
  text?: { text: string }
}

/** The button of an answer that is called this. Throws when there is none. */
function buttonOf(answer: string, label: string): Button {
  // Every answer is a message of Slack's form.
  const { blocks } = JSON.parse(answer) as { blocks: { elements?: Button[] }[] }
  const found = blocks.flatMap(({ elements }) => elements ?? []).find(({ text }) => text?.text === label)
  if (!found) throw new Error(`the latest answer has no button "${label}"`)
  return found
}

type Send = (line: Line, index: number) => Promise<void>

/** Each connection sends its next request when its last one is over; with eight of them, each is one workspace's. */
async function closed(count: number, lines: readonly Line[], send: Send): Promise<void> {
  await Promise.all(
    lines.map(async (line, first) => {
      for (let index = first; index < count; index += lines.length) await send(line, index)
    }),
  )
}

/** Sends at a rate over whichever connection is free; when a machine stands still, later ones wait for the next. */
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
    // A request that fails ends the plan below, whenever it failed.
    running.at(-1)?.catch(() => undefined)
  }
  await Promise.all(running)
}

/**
 * Keeps this process from sleeping while it waits: waking it would be counted to the server that answers, and only to
 * those that are slow enough for the load to fall asleep in between. On one connection each answer wakes it, whoever
 * gives it.
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
