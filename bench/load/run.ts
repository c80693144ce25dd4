import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../parts/numbers.ts'
import { commandRequest, WORKSPACES } from '../parts/slack.ts'
import { type Line, openLine } from './line.ts'
import type { Sink } from './sink.ts'

/** So many signed commands, over so many connections. */
export interface Plan {
  url: string
  text: string
  count: number
  connections: number
  /** A command is over when its answer has reached the response_url, and not with its acknowledgement. */
  whole?: boolean
  /** Sent at this rate, whether or not earlier ones are over; without it each connection sends its next one at once. */
  perSecond?: number
}

export interface Outcome {
  perSecond: number
  /** Median time from the request to its acknowledgement. */
  acknowledgedMs: number
  /** The latest answer that was posted; empty when none is waited for. */
  latest: string
}

/** Carries a plan out. Throws when anything is answered with another status than 200, or not at all. */
export async function runPlan(plan: Plan, firstId: number, sink: Sink): Promise<Outcome> {
  const lines = await Promise.all(Array.from({ length: plan.connections }, () => openLine(plan.url)))
  // Signed before the clock starts: the load's own work must not be measured.
  const { host } = new URL(plan.url)
  const requests = Array.from({ length: plan.count }, (_, index) =>
    commandRequest(host, {
      id: firstId + index,
      workspace: WORKSPACES[index % WORKSPACES.length] ?? '',
      text: plan.text,
      responseUrl: sink.addressOf(firstId + index),
    }),
  )
  const acknowledgedMs: number[] = []
  using _awake = plan.whole || plan.connections === 1 ? undefined : stayAwake()

  async function command(line: Line, index: number): Promise<void> {
    const reply = plan.whole ? sink.reply(firstId + index) : undefined
    const sentAt = performance.now()
    const status = await line.send(requests[index] ?? Buffer.alloc(0))
    acknowledgedMs.push(performance.now() - sentAt)
    if (status !== 200) throw new Error(`a command was answered with status ${status}`)
    await reply
  }

  try {
    const started = performance.now()
    await (plan.perSecond
      ? paced(plan.count, plan.perSecond, lines, command)
      : closed(plan.count, lines, command))
    const seconds = (performance.now() - started) / 1000
    return {
      perSecond: plan.count / seconds,
      acknowledgedMs: median(acknowledgedMs),
      latest: plan.whole ? sink.latest() : '',
    }
  } finally {
    for (const line of lines) line[Symbol.dispose]()
  }
}

type Command = (line: Line, index: number) => Promise<void>

/** Each connection sends its next request when its last one is over; with eight of them, each is one workspace's. */
async function closed(count: number, lines: readonly Line[], command: Command): Promise<void> {
  await Promise.all(
    lines.map(async (line, first) => {
      for (let index = first; index < count; index += lines.length) await command(line, index)
    }),
  )
}

/** Sends at a rate over whichever connection is free; when a machine stands still, later ones wait for the next. */
async function paced(
  count: number,
  perSecond: number,
  lines: readonly Line[],
  command: Command,
): Promise<void> {
  const free = [...lines]
  const running: Promise<void>[] = []
  let freed = Promise.withResolvers<void>()
  const started = performance.now()

  async function sendOn(line: Line, index: number): Promise<void> {
    try {
      await command(line, index)
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
    // A command that fails ends the plan below, whenever it failed.
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
