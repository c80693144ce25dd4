import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, startLoad } from './load/start.ts'
import { startChild } from './parts/child.ts'
import { comparing, medianScavengeMs } from './parts/compare.ts'
import { measure } from './parts/measure.ts'
import type { Findings, Question } from './parts/question.ts'
import { startServer } from './parts/server.ts'

const AT_ONCE = { text: '', count: 8000, connections: 50 }
const ONE_BY_ONE = { text: '', count: 2000, connections: 1 }
const STEADY = { text: 'list', count: 250, connections: 32, perSecond: 100 }

/** What it costs to acknowledge a signed command, alone and beside whole commands. */
export const acknowledge: Question = {
  name: 'acknowledge',
  asks: 'What does it cost to acknowledge a signed slash command?',
  async answer(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'signalman-bench-'))
    try {
      await using load = await startLoad()
      const alone = await aloneOn(load, folder, progress)
      const beside = await besideWork(load, folder, progress)
      return { tables: [...alone.tables, ...beside.tables], goals: [...alone.goals, ...beside.goals] }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function aloneOn(load: Load, folder: string, progress: (doing: string) => void): Promise<Findings> {
  await using servers = new AsyncDisposableStack()
  const start = async (file: string, settings?: object) => servers.use(await startServer(file, settings))
  const raw = await start('raw.ts')
  const fastify = await start('fastify.ts')
  const bolt = await start('bolt.ts', { commands: 1 })
  const bolt100 = await start('bolt.ts', { commands: 100 })
  const ours20 = await start('acknowledging.ts', { commands: 20 })
  const ours100 = await start('acknowledging.ts', { commands: 100 })
  const answers = { databaseUrl: `sqlite:${join(folder, 'claims.db')}`, sinkUrl: load.sinkUrl }
  const answering = await start('acknowledging.ts', { commands: 20, answers })

  progress('50 connections, seven servers in turn')
  const at50 = await measure(
    load,
    {
      raw: { server: raw, plan: AT_ONCE },
      fastify: { server: fastify, plan: AT_ONCE },
      bolt: { server: bolt, plan: AT_ONCE },
      bolt100: { server: bolt100, plan: { ...AT_ONCE, count: AT_ONCE.count / 2 } },
      ours20: { server: ours20, plan: AT_ONCE },
      ours100: { server: ours100, plan: AT_ONCE },
      answering: { server: answering, plan: { ...AT_ONCE, count: AT_ONCE.count / 4, whole: true } },
    },
    { warmUps: 2, rounds: 7 },
  )
  progress('one connection, three servers in turn')
  const at1 = await measure(
    load,
    {
      raw: { server: raw, plan: ONE_BY_ONE },
      bolt: { server: bolt, plan: ONE_BY_ONE },
      ours20: { server: ours20, plan: ONE_BY_ONE },
    },
    { warmUps: 1, rounds: 7 },
  )

  const many = comparing(at50)
  const one = comparing(at1)
  const row = (title: string, name: keyof typeof at50) =>
    [
      title,
      many.ratio('cpuMicros', name, 'bolt'),
      many.ratio('cpuMicros', name, 'raw'),
      many.ratio('perSecond', name, 'bolt'),
      many.median('cpuMicros', name),
    ] as const
  return {
    tables: [
      {
        title: 'Acknowledging, 50 connections',
        columns: ['CPU ÷ Bolt', 'CPU ÷ raw', 'requests/s ÷ Bolt', 'CPU µs each'],
        rows: [
          row('raw node:http, body and HMAC (the limit)', 'raw'),
          row('Fastify with its own check', 'fastify'),
          row('Bolt, HTTPReceiver, 1 command', 'bolt'),
          row('Bolt, HTTPReceiver, 100 commands', 'bolt100'),
          row('Signalman, 20 commands', 'ours20'),
          row('Signalman, 100 commands', 'ours100'),
          row('Signalman, claimed in SQLite and answered', 'answering'),
        ],
      },
      {
        title: 'Acknowledging, one connection: median time',
        columns: ['÷ raw', 'ms'],
        rows: (['raw', 'bolt', 'ours20'] as const).map((name) => [
          { raw: 'raw node:http', bolt: 'Bolt, 1 command', ours20: 'Signalman' }[name],
          one.ratio('acknowledgedMs', name, 'raw'),
          one.median('acknowledgedMs', name),
        ]),
      },
    ],
    goals: [
      {
        goal: 'CPU of an acknowledgement ÷ bare Bolt',
        bound: { atMost: 0.38 },
        value: many.ratio('cpuMicros', 'ours20', 'bolt'),
      },
      {
        goal: 'CPU of an acknowledgement ÷ raw node:http',
        bound: { atMost: 1.6 },
        value: many.ratio('cpuMicros', 'ours20', 'raw'),
      },
      {
        goal: 'Requests per second ÷ bare Bolt',
        bound: { atLeast: 2.5 },
        value: many.ratio('perSecond', 'ours20', 'bolt'),
      },
      {
        goal: '100 commands ÷ 20 commands, CPU',
        bound: { atMost: 1.05 },
        value: many.ratio('cpuMicros', 'ours100', 'ours20'),
      },
      {
        goal: 'Median acknowledgement on one connection ÷ raw',
        bound: { atMost: 1.15 },
        value: one.ratio('acknowledgedMs', 'ours20', 'raw'),
      },
    ],
  }
}

/** 100 commands a second, each a whole listing for the app, and nothing but an acknowledgement for Bolt. */
async function besideWork(load: Load, folder: string, progress: (doing: string) => void): Promise<Findings> {
  await using servers = new AsyncDisposableStack()
  const service = servers.use(await startChild('servers/service.ts'))
  const whole = (name: string, pageSize: number) => ({
    serviceUrl: service.ready,
    sinkUrl: load.sinkUrl,
    databaseFile: join(folder, `${name}.db`),
    pageSize,
  })
  const start = async (file: string, settings: object) => servers.use(await startServer(file, settings))
  const bolt = await start('bolt.ts', { commands: 1 })
  const shipped = await start('signalman.ts', whole('shipped', 15))
  const scanning = await start('signalman.ts', whole('scanning', 500))
  const naive = await start('naive.ts', whole('naive', 500))

  progress('100 commands a second, four servers in turn')
  const samples = await measure(
    load,
    {
      bolt: { server: bolt, plan: STEADY },
      shipped: { server: shipped, plan: { ...STEADY, whole: true } },
      scanning: { server: scanning, plan: { ...STEADY, whole: true } },
      naive: { server: naive, plan: { ...STEADY, whole: true } },
    },
    { warmUps: 1, rounds: 5 },
  )
  const { ratio, median } = comparing(samples)
  const row = (title: string, name: keyof typeof samples) =>
    [
      title,
      ratio('acknowledgedMs', name, 'bolt'),
      median('acknowledgedMs', name),
      medianScavengeMs(samples[name]),
    ] as const
  return {
    tables: [
      {
        title: 'Acknowledging while 100 commands a second come in: median time',
        columns: ['÷ Bolt', 'ms', 'scavenge ms'],
        rows: [
          row('Bolt, which only acknowledges', 'bolt'),
          row('Signalman, whole commands, page of 15', 'shipped'),
          row('Signalman, whole commands, page of 500', 'scanning'),
          row('naive app, whole commands, page of 500', 'naive'),
        ],
      },
    ],
    goals: [
      {
        goal: 'Median acknowledgement beside whole commands (page of 500) ÷ idle Bolt',
        bound: { atMost: 0.75 },
        value: ratio('acknowledgedMs', 'scanning', 'bolt'),
      },
      {
        goal: 'Median scavenge while whole commands run (page of 500)',
        bound: { atMost: 5 },
        value: medianScavengeMs(samples.scanning),
        unit: 'ms',
      },
    ],
  }
}
